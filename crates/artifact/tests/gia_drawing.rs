//! Drawings of exchange automata.

mod gia_paper;

use gia_paper::*;
use tandem_artifact::format::gia_picture::Picture;
use tandem_artifact::format::gia_yaml::{outline, write};
use tandem_artifact::format::{gia_svg, gia_text};
use tandem_artifact::gia::{EdgeNames, EdgeSet, GiaBuilder, GuardId, Mark};

#[test]
fn the_papers_figure() {
    let picture = Picture::of(&figure_8(), &program());
    golden("figure-8.txt", &gia_text::text(&picture));
    golden("figure-8.dot", &gia_text::dot(&picture));
    golden("figure-8.svg", &gia_svg::svg(&picture));
    golden("figure-8.html", &gia_svg::html(&picture));
}

#[test]
fn without_the_program_edges_are_places() {
    let file = write(&figure_14_a2(), &program());
    let text = gia_text::text(&Picture::of_outline(&outline(&file).unwrap()));
    assert!(text.contains("state s1 (initial)\n  4:11 call {x == 5} -> s2\n  4:11 call -> s2'\n"), "{text}");
    assert!(text.contains("state s7 [unreachable]\n"), "{text}");
    assert!(text.contains("target l7: 9:9 branch true\n"), "{text}");
}

#[test]
fn pictures_are_well_formed_whatever_is_in_them() {
    let names = EdgeNames::of(&program());
    let mut builder = GiaBuilder::new(subject(), targets(&names));
    let start = builder.named("<a & \"b\">", GuardId::TRUE, None);
    let invariant = builder.guards().text("x < 5 && \"<\"[0] != '\\\\'");
    let end = builder.named("e\u{1b}", invariant, Some(Mark::Candidate));
    builder.named("alone", GuardId::TRUE, Some(Mark::Reached));
    let guard = builder.guards().text("x<3");
    builder.transition(start, EdgeSet::all(), guard, end);
    builder.transition(end, EdgeSet::all_but([names.edge(OP).unwrap()]), guard, start);
    let picture = Picture::of(&builder.finish().unwrap(), &program());
    for page in [gia_svg::svg(&picture), gia_svg::html(&picture)] {
        assert!(page.contains("&lt;a &amp; &quot;b&quot;&gt;") && !page.contains('\u{1b}'), "{page}");
        assert!(page.contains("#fff176") && page.contains("#90caf9"));
        assert!(
            !page.contains("http://")
                || page.matches("http://").count() == page.matches("http://www.w3.org/2000/svg").count()
        );
    }
    assert!(gia_text::dot(&picture).contains("<a & \\\"b\\\">"));
}
