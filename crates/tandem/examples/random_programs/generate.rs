//! Small random C programs with few inputs of few values: loops, arrays, pointers, records, unions, bit-fields, calls, function pointers,
//! jumps, mixed widths and a little floating point. Whether the error is reached is left to luck. As far as possible, behaviour is
//! defined by construction: indices and shift amounts are masked, divisors are positive, everything is initialised.

use std::fmt::Write;

/// A program, once with inputs for verifiers and once with inputs for the enumeration.
pub struct Generated {
    pub for_verifier: String,
    pub for_enumeration: String,
}

/// Splits of a stream of pseudo-random numbers: the same seed gives the same program everywhere.
struct Choices(u64);

impl Choices {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}

const INTEGERS: [&str; 10] = [
    "int",
    "unsigned",
    "short",
    "unsigned char",
    "signed char",
    "long",
    "unsigned long",
    "long long",
    "unsigned short",
    "_Bool",
];
/// Values of all inputs together.
const MOST_ASSIGNMENTS: u64 = 300;
const DECLARATIONS: &str = "\
struct record { int a; short b; unsigned char c; long d; };
struct bits { unsigned f : 3; int g : 5; unsigned h : 12; unsigned long i : 20; };
union overlay { unsigned w; unsigned short h[2]; unsigned char b[4]; };
";

/// The program of a seed.
pub fn generate(seed: u64) -> Generated {
    let mut writer = Writer { choices: Choices(seed), out: String::new(), indent: 1, counters: 0, labels: 0, calls: 0 };
    let (for_verifier, for_enumeration, inputs) = writer.inputs();
    let body = writer.program(inputs);
    let head = "extern void reach_error(void);\nextern void abort(void);\n";
    Generated {
        for_verifier: format!("{head}{for_verifier}{body}"),
        for_enumeration: format!("{head}extern long choose(long low, long count);\n{for_enumeration}{body}"),
    }
}

struct Writer {
    choices: Choices,
    out: String,
    indent: usize,
    /// Loop counters of the function so far, and labels of the program.
    counters: usize,
    labels: usize,
    /// Functions that may be called: those that were written already.
    calls: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 2 * self.indent);
    }

    /// The functions that return inputs, in both forms, and how many there are.
    fn inputs(&mut self) -> (String, String, u64) {
        let mut verifier = String::from("extern void __VERIFIER_assume(int);\n");
        for ty in ["int", "uint", "short", "uchar", "char", "long", "ulong", "bool"] {
            let result = match ty {
                "uint" => "unsigned",
                "uchar" => "unsigned char",
                "ulong" => "unsigned long",
                "bool" => "_Bool",
                other => other,
            };
            let _ = writeln!(verifier, "extern {result} __VERIFIER_nondet_{ty}(void);");
        }
        let (mut enumeration, mut product, mut count) = (String::new(), 1, 0);
        for number in 0..2 + self.choices.below(3) {
            let (ty, result) = [("int", "int"), ("uchar", "unsigned char"), ("short", "short"), ("long", "long")]
                [self.choices.below(4) as usize];
            let values = 1 << (1 + self.choices.below(3));
            if product * values > MOST_ASSIGNMENTS {
                break;
            }
            product *= values;
            count += 1;
            let low = if ty == "uchar" { 0 } else { -(self.choices.below(4) as i64) };
            let high = low + values as i64 - 1;
            let value = format!("{result} x = __VERIFIER_nondet_{ty}();");
            let (low, body) = match self.choices.below(4) {
                0 => (0, format!("return __VERIFIER_nondet_{ty}() & {};", values - 1)),
                1 => (low, format!("{value} __VERIFIER_assume(x >= {low} && x <= {high}); return x;")),
                2 => (low, format!("{value} if (x < {low} || x > {high}) abort(); return x;")),
                _ => (low, format!("{value} if (!(x > {} && x < {})) while (1) ; return x;", low - 1, high + 1)),
            };
            let _ = writeln!(verifier, "static {result} input{number}(void) {{ {body} }}");
            let chosen = format!("return ({result})choose({low}, {values});");
            let _ = writeln!(enumeration, "static {result} input{number}(void) {{ {chosen} }}");
        }
        (verifier, enumeration, count)
    }

    fn program(&mut self, inputs: u64) -> String {
        let mut out = String::from(DECLARATIONS);
        for number in 0..4 {
            let (ty, value) = (self.choices.of(&INTEGERS), self.choices.below(9));
            let _ = writeln!(out, "{ty} g{number} = {value};");
        }
        let values: Vec<String> = (0..4).map(|_| self.choices.below(20).to_string()).collect();
        let element = self.choices.of(&INTEGERS[..9]);
        let _ = writeln!(out, "{element} array[4] = {{{}}};", values.join(", "));
        out.push_str("int table[2][3] = {{1, 2, 3}, {4, 5, 6}};\nstruct record global = {1, 2, 3, 4};\n");
        out.push_str("struct bits packed = {1, 2, 3, 4};\nunion overlay overlaid = {77};\nint target = 5;\n");
        for number in 0..1 + self.choices.below(3) {
            out.push_str(&self.function(number as usize));
            self.calls = number as usize + 1;
        }
        let names: Vec<String> = (0..2).map(|_| format!("f{}", self.choices.below(self.calls as u64))).collect();
        let _ = writeln!(out, "static int (*const functions[2])(int, unsigned) = {{{}}};", names.join(", "));
        out.push_str("static int depth(int n, int x) { return n <= 0 ? x : depth(n - 1, x + n) ^ n; }\n");
        let body = self.main(inputs);
        out + &body
    }

    /// The locals that every function has; loop counters are added when they are known.
    fn wrapped(&mut self, head: &str, begin: &str, end: &str, count: usize) -> String {
        self.counters = 0;
        self.out.clear();
        for _ in 0..count {
            self.statement(2);
        }
        let body = std::mem::take(&mut self.out);
        let mut out = format!("{head}\n{{\n{begin}");
        let (first, second) = (self.choices.of(&INTEGERS), self.choices.of(&INTEGERS));
        let _ = writeln!(out, "  {first} l0 = 3;\n  {second} l1 = 1;\n  double d = 1.5;\n  int *p = &target;");
        let _ = writeln!(
            out,
            "  struct record local = {{4, 3, 2, 1}}, *r = &global;\n  unsigned char bytes[4] = {{9, 8, 7, 6}};"
        );
        for counter in 0..self.counters {
            let _ = writeln!(out, "  int i{counter} = 0;");
        }
        let _ = writeln!(out, "{body}{end}}}");
        out
    }

    fn function(&mut self, number: usize) -> String {
        let count = 2 + self.choices.below(3) as usize;
        let result = self.expression(2);
        let head = format!("static int f{number}(int a, unsigned b)");
        let begin = "  int x0 = a;\n  unsigned x1 = b;\n  short x2 = (short)a;\n  long x3 = a;\n";
        self.wrapped(&head, begin, &format!("  return (int)({result});\n"), count)
    }

    fn main(&mut self, inputs: u64) -> String {
        let mut begin = String::new();
        for number in 0..4 {
            let ty = self.choices.of(&INTEGERS[..9]);
            let value = if number < inputs { format!("input{number}()") } else { number.to_string() };
            let _ = writeln!(begin, "  {ty} x{number} = {value};");
        }
        let count = 4 + self.choices.below(5) as usize;
        let mask = [1, 3, 7, 7, 31][self.choices.below(5) as usize];
        let wanted = self.choices.below(mask + 1);
        let sum = "(unsigned)l0 + (unsigned)l1 * 3 + (unsigned)g0 + (unsigned)g1 + (unsigned)array[1] + (unsigned)local.a \
                   + (unsigned)global.d + packed.h + overlaid.w + (unsigned)target + (unsigned)x0";
        let checked = if self.choices.below(2) == 0 { self.expression(3) } else { sum.to_string() };
        let also = self.condition(2);
        let test = match self.choices.below(3) {
            0 => format!("((unsigned)({checked}) & {mask}) == {wanted}"),
            1 => format!("((unsigned)({checked}) & {mask}) == {wanted} && {also}"),
            _ => format!("((unsigned)({checked}) & {mask}) == {wanted} && x0 != {wanted}"),
        };
        let calls = match self.choices.below(3) {
            0 => "  l1 = functions[x1 & 1]((int)x0, (unsigned)l0);\n",
            1 => "  l0 = depth(x0 & 3, (int)l1) + functions[l0 & 1](3, (unsigned)x2);\n",
            _ => "",
        };
        self.wrapped(
            "int main(void)",
            &begin,
            &format!("{calls}  if ({test})\n    reach_error();\n  return 0;\n"),
            count,
        )
    }

    /// Something that can be assigned.
    fn place(&mut self) -> String {
        match self.choices.below(20) {
            0..=2 => format!("l{}", self.choices.below(2)),
            3..=5 => format!("g{}", self.choices.below(4)),
            6..=7 => format!("x{}", self.choices.below(4)),
            8 => format!("array[{} & 3]", self.parenthesised(1)),
            9 => format!("table[{} & 1][{}]", self.parenthesised(1), self.choices.below(3)),
            10 => "*p".into(),
            11 => format!("local.{}", self.choices.of(&["a", "b", "c", "d"])),
            12 => format!("r->{}", self.choices.of(&["a", "b", "c", "d"])),
            13 => format!("global.{}", self.choices.of(&["a", "b", "c", "d"])),
            14..=15 => format!("packed.{}", self.choices.of(&["f", "g", "h", "i"])),
            16 => format!("overlaid.{}", self.choices.of(&["w", "h[0]", "h[1]", "b[0]", "b[2]", "b[3]"])),
            17 => format!("overlaid.b[{} & 3]", self.parenthesised(1)),
            18 => format!("bytes[{} & 3]", self.parenthesised(1)),
            _ => "target".into(),
        }
    }

    fn parenthesised(&mut self, depth: u32) -> String {
        format!("({})", self.expression(depth))
    }

    /// An integer expression without side effects.
    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.choices.below(6) == 0 {
            return match self.choices.below(4) {
                0 => {
                    let text =
                        ["0", "1", "2", "7", "-1", "100", "255", "65535u", "3000000000u", "-128", "5L", "1LL << 33"];
                    self.choices.of(&text).to_string()
                }
                _ => self.place_read(),
            };
        }
        let (left, right) = (self.parenthesised(depth - 1), self.parenthesised(depth - 1));
        match self.choices.below(18) {
            0..=2 => format!("{left} {} {right}", self.choices.of(&["+", "-", "*"])),
            3..=5 => format!("{left} {} {right}", self.choices.of(&["&", "|", "^"])),
            6 => format!("{left} {} (({right} & 7) + 1)", self.choices.of(&["/", "%"])),
            7 => format!("(unsigned){left} << ({right} & 15)"),
            8 => format!("{left} >> ({right} & 7)"),
            9..=10 => format!("{left} {} {right}", self.choices.of(&["<", "<=", ">", ">=", "==", "!="])),
            11 => format!("{left} {} {right}", self.choices.of(&["&&", "||"])),
            12 => format!("{} ? {left} : {right}", self.parenthesised(depth - 1)),
            13 => format!("{}{left}", self.choices.of(&["-", "~", "!"])),
            14..=15 => format!("({}){left}", self.choices.of(&INTEGERS)),
            16 => format!("(d {} {left}) + {right}", self.choices.of(&["<", ">="])),
            _ => format!("(unsigned long long){left} * {right}"),
        }
    }

    fn place_read(&mut self) -> String {
        let place = self.place();
        if place.contains('(') && self.choices.below(2) == 0 { "g1".into() } else { place }
    }

    fn condition(&mut self, depth: u32) -> String {
        format!("({})", self.expression(depth))
    }

    fn block(&mut self, depth: u32) {
        self.indent += 1;
        for _ in 0..1 + self.choices.below(2) {
            self.statement(depth);
        }
        self.indent -= 1;
    }

    fn statement(&mut self, depth: u32) {
        let kind = if depth == 0 { self.choices.below(12) } else { self.choices.below(24) };
        match kind {
            0..=3 => self.assignment(),
            4 => {
                let place = self.place();
                let text =
                    format!("{place} {}= {};", self.choices.of(&["+", "-", "*", "^", "|", "&"]), self.expression(2));
                self.line(&text);
            }
            5 => {
                let place = self.place();
                let text = format!("{place}{};", self.choices.of(&["++", "--"]));
                self.line(&text);
            }
            6 => self.pointer(),
            7..=8 => self.call(),
            9 => {
                let text = self.choices.of(&["local = global;", "global = local;", "local = *r;", "*r = local;"]);
                self.line(text);
            }
            10 => {
                let text = format!("d = (double)({} & 1023) / 8 - {};", self.parenthesised(1), self.choices.below(9));
                self.line(&text);
            }
            11 => {
                let text =
                    format!("l0 = ({})(d * {});", self.choices.of(&["int", "short", "long"]), self.choices.below(5));
                self.line(&text);
            }
            12..=15 => self.branch(depth),
            16..=19 => self.repetition(depth),
            20..=21 => self.selection(depth),
            _ => self.jump(depth),
        }
    }

    fn assignment(&mut self) {
        let place = self.place();
        let text = format!("{place} = {};", self.expression(3));
        self.line(&text);
    }

    fn pointer(&mut self) {
        let text = match self.choices.below(6) {
            0 => "p = &target;".to_string(),
            1 => format!("p = &table[{} & 1][{}];", self.parenthesised(1), self.choices.below(3)),
            2 => "p = &local.a;".to_string(),
            3 => format!("p = {} ? &global.a : p;", self.condition(1)),
            4 => format!("r = {} ? &global : &local;", self.condition(1)),
            _ => format!("l1 = *(table[0] + ({} & 3) % 3) + (p == &target);", self.parenthesised(1)),
        };
        self.line(&text);
    }

    fn call(&mut self) {
        let arguments = format!("(int)({}), (unsigned)({})", self.expression(2), self.expression(1));
        let place = self.place();
        // Only `main` comes behind the table and the recursive function; its locals are those of the others.
        let text = match self.calls {
            0 => format!("{place} = {};", self.expression(2)),
            calls => format!("{place} = f{}({arguments});", self.choices.below(calls as u64)),
        };
        self.line(&text);
    }

    fn branch(&mut self, depth: u32) {
        let text = format!("if ({}) {{", self.expression(2));
        self.line(&text);
        self.block(depth - 1);
        if self.choices.below(2) == 0 {
            self.line("} else {");
            self.block(depth - 1);
        }
        self.line("}");
    }

    fn repetition(&mut self, depth: u32) {
        let (counter, bound) = (self.counters, 1 + self.choices.below(4));
        self.counters += 1;
        let head = match self.choices.below(4) {
            0 => format!("for (i{counter} = 0; i{counter} < {bound}; i{counter}++) {{"),
            1 => format!("for (i{counter} = {bound}; i{counter}-- > 0; ) {{"),
            2 => format!("i{counter} = 0; while (i{counter}++ < {bound} && {}) {{", self.condition(1)),
            _ => format!("i{counter} = 0; do {{"),
        };
        let is_do = head.ends_with("do {");
        self.line(&head);
        self.block(depth - 1);
        if !is_do && self.choices.below(3) == 0 {
            let text = format!("  if ({}) {};", self.expression(1), self.choices.of(&["break", "continue"]));
            self.line(&text);
        }
        let end = if is_do { format!("}} while (++i{counter} < {bound});") } else { "}".into() };
        self.line(&end);
    }

    fn selection(&mut self, depth: u32) {
        let text = format!("switch ({} & 3) {{", self.parenthesised(2));
        self.line(&text);
        for label in ["case 0:", "case 2:", "default:"] {
            self.line(label);
            self.block(depth - 1);
            if self.choices.below(3) > 0 {
                self.line("  break;");
            }
        }
        self.line("}");
    }

    fn jump(&mut self, depth: u32) {
        let label = self.labels;
        self.labels += 1;
        if self.choices.below(2) == 0 {
            let text = format!("if ({}) goto label{label};", self.expression(2));
            self.line(&text);
            self.block(depth - 1);
            self.line(&format!("label{label}: ;"));
        } else {
            let counter = self.counters;
            self.counters += 1;
            self.line(&format!("label{label}: ;"));
            self.block(depth - 1);
            let text = format!("if (i{counter}++ < 2 && {}) goto label{label};", self.condition(1));
            self.line(&text);
        }
    }
}
