//! A table that can be sorted and searched. Only the rows in sight are made by the browser: a table may have very many.

use serde_json::{Value, json};

use super::data;

pub struct Table {
    columns: Vec<Value>,
    rows: Vec<Value>,
    classes: Vec<String>,
    sort: Option<(usize, bool)>,
}

/// What is in a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    Text,
    /// A text of which there are few: rows can be chosen by it.
    Choice,
    Whole,
    /// A number with so many digits behind the point.
    Number(u8),
}

impl Table {
    /// The columns: their titles, what is in them, and how many characters wide they are.
    pub fn new(columns: &[(&str, Column, u32)]) -> Table {
        let column = |(title, kind, width): &(&str, Column, u32)| {
            let mut column = json!({ "title": title, "width": width });
            match kind {
                Column::Text => {}
                Column::Choice => column["filter"] = json!(true),
                Column::Whole => column["number"] = json!(true),
                Column::Number(digits) => {
                    column["number"] = json!(true);
                    column["digits"] = json!(digits);
                }
            }
            column
        };
        Table { columns: columns.iter().map(column).collect(), rows: Vec::new(), classes: Vec::new(), sort: None }
    }

    /// A row: texts, numbers, or a pair of a text and an address.
    pub fn row(&mut self, class: &str, cells: Vec<Value>) {
        self.rows.push(Value::Array(cells));
        self.classes.push(class.to_string());
    }

    /// The column it is sorted by in the beginning, and whether the largest comes first.
    pub fn sorted(mut self, column: usize, descending: bool) -> Table {
        self.sort = Some((column, descending));
        self
    }

    pub fn render(self) -> String {
        let value = json!({ "columns": self.columns, "rows": self.rows, "classes": self.classes, "sort": self.sort });
        format!(
            "<div class=\"grid\"><div class=\"tools\"></div><div class=\"view\" tabindex=\"0\"></div>{}</div>",
            data(&value)
        )
    }
}
