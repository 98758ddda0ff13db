//! Small programs and what the pointers in them may point to.

use tandem_base::SourceText;
use tandem_syntax::DataModel;

use super::*;
use crate::build::build;

fn program(text: &str, model: DataModel) -> Program {
    let built = build(SourceText::plain("test.c", text.as_bytes().to_vec()), model);
    built.program.unwrap_or_else(|| panic!("{:?}\n{text}", built.problems))
}

/// The name of a site as the tests write it: allocations by the function they are in.
fn name(program: &Program, site: Site) -> String {
    match site {
        Site::Variable(id) if program.variables[id].kind == VariableKind::StringLiteral => "\"\"".to_string(),
        Site::Variable(id) => program.variables[id].name.to_string(),
        Site::Function(id) => program.functions[id].name.to_string(),
        Site::Allocation(edge) => format!("new:{}", program.functions[program.function_of(edge)].name),
    }
}

fn names(program: &Program, sites: &[Site], outside: bool) -> String {
    let mut names: Vec<String> = sites.iter().map(|site| name(program, *site)).collect();
    names.sort();
    names.extend(outside.then(|| "outside".to_string()));
    names.join(" ")
}

/// What the arguments of the calls of `show` in the program point to, in the order of the source.
fn shown(text: &str, model: DataModel) -> Vec<String> {
    let declared = "void show(const void *); void *malloc(unsigned long); void *realloc(void *, unsigned long);
        void *memcpy(void *, const void *, unsigned long);";
    let declared = match model {
        DataModel::Lp64 => declared.to_string(),
        DataModel::Ilp32 => declared.replace("unsigned long", "unsigned"),
    };
    let program = program(&format!("{declared}\n{text}"), model);
    let solution = PointsTo::of(&program);
    let show = program.function_named("show");
    let calls = program.edges.iter().filter_map(|edge| match &edge.op {
        Op::Call { callee: Callee::Direct(callee), arguments, .. } if Some(*callee) == show => {
            Some((edge.span.lo, arguments[0]))
        }
        _ => None,
    });
    let mut calls: Vec<_> = calls.collect();
    calls.sort();
    let targets = calls.iter().map(|(_, argument)| solution.targets(*argument));
    targets.map(|targets| names(&program, &targets.sites, targets.outside)).collect()
}

/// In both data models.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(shown(text, DataModel::Lp64), expected, "{text}");
    assert_eq!(shown(text, DataModel::Ilp32), expected, "{text}");
}

#[test]
fn addresses_and_copies() {
    check(
        "int a, b, *p; int main(void) { int *q = &a; show(q); p = q; p = &b; show(p); show(\"x\"); show(0); return 0; }",
        &["a", "a b", "\"\"", ""],
    );
}

/// What is stored through an address from outside may be found behind every other one.
#[test]
fn what_comes_from_outside() {
    check(
        "int *get(void); int a; extern int *e; void *__VERIFIER_nondet_pointer(void);
         int main(void) { int *u; if (e) u = &a; int *g = get(); int **v = (int **)get(); show(u); show(g); show(e); show(v[1]);
           show(__VERIFIER_nondet_pointer()); int **x = (int **)get(); *x = &a; show(*x); show((void *)16L); return 0; }",
        &["a outside", "outside", "outside", "a outside", "outside", "a outside", "outside"],
    );
}

#[test]
fn members_are_told_apart() {
    check(
        "struct s { int *a; int *b; struct { int *c; } in; }; int x, y, z; struct s t = { &x, &y };
         int main(void) { struct s *p = &t; show(p->a); show(t.b); p->in.c = &z; show(t.in.c); show(&p->b); return 0; }",
        &["x", "y", "z", "t"],
    );
}

#[test]
fn function_pointers_in_structs_are_resolved() {
    let text = "struct ops { void *(*get)(void *); void *(*put)(void *); }; int a, b;
         void *get(void *p) { return p; } void *put(void *p) { show(p); return &b; }
         struct ops o = { get, put }; struct ops *table[2] = { &o, &o };
         int main(int c, char **v) { show(table[c]->get(&a)); show(o.put(&o)); void *(*f)(void *) = c ? get : put; show(f); return 0; }";
    check(text, &["o", "a", "b", "get put"]);
    let program = program(&format!("void show(const void *); {text}"), DataModel::Lp64);
    let solution = PointsTo::of(&program);
    let calls =
        program.edges.enumerate().filter(|(_, edge)| matches!(edge.op, Op::Call { callee: Callee::Pointer(_), .. }));
    let callees: Vec<String> = calls
        .map(|(id, _)| {
            names(&program, &solution.callees(id).iter().map(|f| Site::Function(*f)).collect::<Vec<_>>(), false)
        })
        .collect();
    assert_eq!(callees, ["get", "put"]);
}

#[test]
fn linked_lists_on_the_heap() {
    check(
        "struct n { struct n *next; int *data; }; int a;
         struct n *make(struct n *rest) { struct n *n = malloc(sizeof *n); n->next = rest; n->data = &a; return n; }
         int main(void) { struct n *l = 0; for (int i = 0; i < 3; i++) l = make(l);
           for (struct n *p = l; p; p = p->next) { show(p); show(p->data); } return 0; }",
        &["new:make outside", "a outside"],
    );
}

#[test]
fn pointers_to_pointers_and_swaps() {
    check(
        "int a, b, c; void swap(int **x, int **y) { int *t = *x; *x = *y; *y = t; }
         int main(void) { int *p = &a, *q = &b, *r = &c; swap(&p, &q); show(p); show(q); show(r); int **d = &r; show(*d); return 0; }",
        &["a b outside", "a b outside", "c outside", "c outside"],
    );
}

#[test]
fn arrays_have_one_element() {
    check(
        "int a, b, c; int *t[4] = { &a, 0, &b }; struct s { int *x; int *y; } u[3];
         int main(int i, char **v) { t[i] = &c; show(t[0]); u[1].x = &a; u[i].y = &b; show(u[2].x); show(u[0].y);
           struct s *p = u + i; show(p->x); p++; show(p[-1].y); show(p); return 0; }",
        &["a b c", "a", "b", "a", "b", "u"],
    );
}

#[test]
fn unknown_offsets_inside_a_struct_reach_everything() {
    check(
        "int a, b, c; struct s { int n; int *t[3]; int *last; } s; struct s other;
         int main(int i, char **v) { s.last = &a; s.t[i] = &b; show(s.last); show(s.t[1]); show(s.t[i]);
           ((int **)((char *)&other + i))[0] = &c; show(other.last); return 0; }",
        &["a b", "b", "a b", "c"],
    );
}

#[test]
fn arrays_on_the_heap() {
    check(
        "struct s { int *x; int *y; }; int a, b, c;
         int main(int i, char **v) { struct s *h = malloc(i * sizeof *h); h[0].x = &a; h[1].y = &b; h[i].x = &c; show(h[3].x); show(h[i].y);
           h = realloc(h, 2 * i * sizeof *h); show(h[7].x); show(h); return 0; }",
        &["a c outside", "b outside", "a c outside", "new:main new:main"],
    );
}

#[test]
fn through_integers_and_back() {
    check(
        "int a, b; struct s { long n; int *p; } s; union u { int *p; long n; char c[8]; } u;
         int main(int i, char **v) { long n = (long)&a; int *p = (int *)n; show(p); n = n ^ (long)&b; show((void *)n); u.p = &a;
           show((void *)u.n); char *to = (char *)&s.p; for (i = 0; i < sizeof(int *); i++) to[i] = u.c[i]; show(s.p); return 0; }",
        &["a b outside", "a b outside", "a outside", "a"],
    );
}

#[test]
fn container_of() {
    check(
        "struct list { struct list *next; }; struct item { int *value; struct list link; int *other; }; int a, b;
         struct item i = { &a, { 0 }, &b }; struct list *head = &i.link;
         int main(void) { struct item *p = (struct item *)((char *)head - (unsigned long)&((struct item *)0)->link);
           show(p->value); show(p->other); show(p); return 0; }",
        &["a", "b", "i"],
    );
}

#[test]
fn constant_distances_are_cut_to_their_type() {
    let text = "struct s { int *a[3]; int *last; } s; int x, y;
         int main(void) { *(int **)((char *)s.a + (unsigned char)280) = &x; s.a[0] = &y; show(s.last); show(s.a[0]); return 0; }";
    assert_eq!(shown(text, DataModel::Lp64), ["x", "y"]);
}

#[test]
fn callbacks_and_recursion() {
    check(
        "int a, b; int *walk(int n, int *(*f)(int *), int *p) { if (n == 0) return f(p); return walk(n - 1, f, p); }
         int *same(int *p) { return p; } int *other(int *p) { show(p); return &b; }
         int main(void) { show(walk(3, same, &a)); show(walk(2, other, 0)); return 0; }",
        &["a", "a b", "a b"],
    );
}

#[test]
fn variadic_arguments() {
    check(
        "typedef __builtin_va_list va_list; struct s { int *x; }; int a, b, c;
         int *inner(va_list l) { return __builtin_va_arg(l, int *); }
         int *pick(int n, ...) { va_list l, m; __builtin_va_start(l, n); __builtin_va_copy(m, l); int *p = __builtin_va_arg(l, int *);
           show(p); show(inner(m)); struct s s = __builtin_va_arg(m, struct s); __builtin_va_end(l); return s.x; }
         int main(void) { struct s s = { &c }; show(pick(2, &a, &b, s)); return 0; }",
        &["a b c outside", "a b c outside", "a b c outside"],
    );
}

#[test]
fn records_are_copied_with_their_pointers() {
    check(
        "struct s { int n; int *x; int *y; }; int a, b; struct s g = { 1, &a, &b }, h, k, *p = &k;
         struct s give(struct s s) { show(s.y); return s; }
         int main(void) { h = g; show(h.x); memcpy(p, &h, sizeof h); show(k.y); *p = give(g); show(p->x); struct s *q = &h; struct s l[2]; l[1] = *q; show(l[0].y); return 0; }",
        &["b", "a", "b", "a", "b outside"],
    );
}

#[test]
fn a_loop_that_moves_a_pointer_ends() {
    check(
        "struct s { char t[400]; int *p; } s; int a; char *next(char *p) { return p + 1; }
         int main(int n, char **v) { s.p = &a; char *c = s.t; while (n--) c = next(c); show(*(int **)c); show(c);
           char *h = malloc(n); while (*h) h += 24; *(int **)h = &a; show(((int **)h)[2]); return 0; }",
        &["a", "s", "a outside"],
    );
}

#[test]
fn blocks_that_are_moved_within_themselves() {
    check(
        "int a; int main(int n, char **v) { int **h = malloc(n); h[0] = &a; memcpy(h + 1, h, n); show(h[5]); return 0; }",
        &["a outside"],
    );
}

#[test]
fn cells_that_grow_into_each_other() {
    check(
        "struct s { int *a; int *b; int *c; }; int x; int main(int n, char **v) { struct s *h = malloc(n); char *o = (char *)h; h->a = &x;
           *(int **)(o + 2) = &x; memcpy(o + 3, o, n); show(h->c); return 0; }",
        &["x outside"],
    );
}

#[test]
fn functions_that_nobody_calls_do_not_count() {
    check("int a, b, *p = &a; void set(void) { p = &b; } int main(void) { show(p); return 0; }", &["a"]);
}

#[test]
fn library_models_are_looked_into() {
    check(
        "char *strchr(const char *, int); char *strdup(const char *); char *(*f)(const char *, int) = strchr; char t[4];
         int main(void) { show(strchr(t, 1)); show(f(\"x\", 2)); show(strdup(t)); void *(*m)(unsigned long) = malloc; show(m(3)); return 0; }",
        &["\"\" t", "\"\" t", "new:__tandem_strdup", "new:main"],
    );
}

fn modified(text: &str, function: &str) -> String {
    let program = program(&format!("void *malloc(unsigned long); void free(void *); {text}"), DataModel::Lp64);
    let solution = PointsTo::of(&program);
    let id = program.function_named(function).unwrap();
    let sites = solution.modified(id);
    assert!(sites.iter().all(|site| solution.is_modified(id, *site)));
    names(&program, &sites, false)
}

#[test]
fn what_functions_change() {
    let text = "int g, h, k; struct s { int x; } s; void set(int *p) { int own = 1; *p = own; } void deep(int n) { if (n) deep(n - 1); g = n; }
        void (*f)(int) = deep; void *make(void) { void *p = malloc(4); return p; } void drop(int *p) { free(p); }
        void all(void) { int l; set(&l); f(2); s.x = 1; set(&h); }
        int main(void) { int own; all(); int *p = make(); drop(p); own = k; return own; }";
    assert_eq!(modified(text, "set"), "h l");
    assert_eq!(modified(text, "deep"), "g");
    assert_eq!(modified(text, "all"), "g h l s");
    assert_eq!(modified(text, "make"), "new:make");
    assert_eq!(modified(text, "drop"), "new:make");
    assert_eq!(modified(text, "main"), "g h l new:make s");
}

#[test]
fn what_edges_change() {
    let text = "int g, h, *p = &h; void set(void) { g = 1; } int main(void) { int i = 0; set(); *p = 2; return i; }";
    let program = program(text, DataModel::Lp64);
    let solution = PointsTo::of(&program);
    let main = program.entry.unwrap();
    let edges = program.functions[main].body.as_ref().unwrap().edges;
    let sites = solution.modified_by_edges(&program, edges.iter());
    assert_eq!(names(&program, &sites, false), "g h i");
    let writes = edges.iter().filter(|edge| matches!(program.edges[*edge].op, Op::Assign { .. }));
    assert_eq!(names(&program, &solution.modified_by_edges(&program, writes), false), "h i");
}
