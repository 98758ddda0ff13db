//! The dialects of the outside world, one file each.
//!
//! Every reader is a function from text to a value, every writer one from a value to text.

pub mod condition_spc;
pub mod coverage;
pub mod coverage_html;
pub mod gia_picture;
pub mod gia_svg;
pub mod gia_text;
pub mod gia_yaml;
pub mod harness;
pub mod lcov;
pub mod native_runs;
pub mod plan_yaml;
pub mod property_file;
pub mod ranges_yaml;
pub mod sarif;
pub mod task_definition;
pub mod task_set;
pub mod test_case_xml;
pub mod test_metadata_xml;
pub mod tests_c;
pub mod witness_graphml;
pub mod witness_yaml;

mod gia_layout;
mod gia_yaml_read;
mod gia_yaml_write;
mod witness_graphml_write;
mod witness_yaml_model;
mod witness_yaml_write;
mod xml;
mod yaml_tree;
