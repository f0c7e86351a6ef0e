//! Tests difficult cases of each language: the names of the symbols, and their first and last lines.

use super::{Fault, MAX_DEPTH, Outline, Syntax};

fn outline(kind: &str, text: &str) -> Outline {
    let syntax = Syntax::for_extension(kind).expect("a language");
    Outline::read(syntax, text).unwrap_or_else(|fault| panic!("{kind}: {fault:?}: {text}"))
}

/// Returns the symbols in `text`, such as `Pool::close 3-5`.
fn symbols(kind: &str, text: &str) -> Vec<String> {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let symbols = outline(kind, text).symbols.into_iter();
    let shown = symbols.map(|symbol| {
        let (first, last) = (line(symbol.bytes.start), line(symbol.bytes.end));
        format!("{} {first}-{last}", symbol.name)
    });
    shown.collect()
}

#[track_caller]
fn check(kind: &str, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(symbols(kind, text), *expected, "{kind}: {text}");
    }
}

#[test]
fn brackets_and_comments_in_strings_are_text() {
    check(
        "c",
        &[
            (
                "char *a(void) { return \"{ // /* \\\" \"; }\nint b(void) { return '{' + '\\'' + '\"'; }\n",
                &["a 1-1", "b 2-2"],
            ),
            ("int a(void) { return \"}\\\n}\"; }\n", &["a 1-2"]),
        ],
    );
    check(
        "cpp",
        &[(
            "auto a() { return R\"x( )\" } )y\" )x\"; }\nint b() { return 1'000'000; }\n",
            &["a 1-1", "b 2-2"],
        )],
    );
    check(
        "java",
        &[(
            "class A {\n  String a = \"\"\"\n    } \"quoted\" // {\n    \"\"\";\n  char b() { return '}'; }\n}\n",
            &["A 1-6", "A::b 5-5"],
        )],
    );
    check(
        "go",
        &[(
            "func a() string {\n\treturn `}\n\\` + \"}\" + string('}')\n}\nfunc b() {}\n",
            &["a 1-4", "b 5-5"],
        )],
    );
    check(
        "py",
        &[(
            "def a():\n    return '''\ndef no(): pass\n''' + r'\\'' + \"(\" + f'{x!r}'\ndef b(): pass\n",
            &["a 1-4", "b 5-5"],
        )],
    );
    check(
        "rs",
        &[(
            "fn a() -> &'static str { r#\"} \"quoted\" \\\"# }\nfn b<'a>(x: &'a str) -> char { '}' }\nfn c() -> u8 { b'\\'' + b\"}\\\"\"[0] }\nfn d() { '\\u{7d}'; \"}\n\"; }\n/* /* } */ } */\nfn r#type() {}\n",
            &["a 1-1", "b 2-2", "c 3-3", "d 4-5", "r#type 6-7"],
        )],
    );
}

#[test]
fn scripts_with_templates_tags_and_regular_expressions() {
    check(
        "js",
        &[
            (
                "const a = (x) => `}${x ? `{${x}` : \"}\"}`;\nfunction b() { return `\\`${{ c: `}` }.c}`; }\nfunction d() {}\n",
                &["a 1-1", "b 2-2", "d 3-3"],
            ),
            (
                "function a(b) { return b.replace(/[/{\"]/g, \"\") / 2 / c; }\nfunction d() { const e = 4 / 2; if (/}/.test(e)) { } return /'/; }\nfunction f() {}\n",
                &["a 1-1", "d 2-2", "f 3-3"],
            ),
            (
                "var a = { begin:/</, end:/>/, c(d) { return d++ / 2; } }\nfunction e() {}\n",
                &["c 1-1", "e 2-2"],
            ),
        ],
    );
    check(
        "tsx",
        &[(
            "function A() {\n  return <p title=\"it's\">Don't {\"}\"} say <b/> and</p>;\n}\nfunction B() {\n  return (\n    <>\n      <A\n        b={1}\n      /> isn't {`}`}\n    </>\n  );\n}\nconst C = () => <a>;</a>;\nclass D {}\n",
            &["A 1-3", "B 4-12", "C 13-13", "D 14-14"],
        )],
    );
}

#[test]
fn declarations_of_scripts() {
    check(
        "js",
        &[
            ("export default function () {}\n", &["default 1-1"]),
            (
                "export default class extends A { b() {} }\n",
                &["default 1-1", "default::b 1-1"],
            ),
            (
                "export default async (a) => {\n  b();\n}\nlet c = 1\n",
                &["default 1-3"],
            ),
            (
                "export default async function a() {}\nexport function* b() {}\n",
                &["a 1-1", "b 2-2"],
            ),
            (
                "(function () {\n  function a() {}\n  var b = function () {};\n})();\ndescribe(\"c\", () => {\n  const d = async e => e\n  function f() {}\n})\n",
                &["a 2-2", "b 3-3", "d 6-6", "f 7-7"],
            ),
            (
                "class A extends B(C) {\n  static #a = 1\n  static { b(); }\n  get c() {}\n  static async *d() {}\n  [Symbol.iterator]() {}\n  'e'() {}\n  f = async () => {}\n  static() {}\n  set = 2;\n}\n",
                &[
                    "A 1-11",
                    "A::c 4-4",
                    "A::d 5-5",
                    "A::[Symbol.iterator] 6-6",
                    "A::e 7-7",
                    "A::f 8-8",
                    "A::static 9-9",
                ],
            ),
            (
                "A.prototype = {\n  b: function () { return {}; },\n  c: (d) => d,\n  e: 1,\n  async f() {},\n};\nexports.g = class { h() {} }\nif (a) { function i() {} } else { j(); }\nfor (const k of l) { m() }\n",
                &["b 2-2", "c 3-3", "f 5-5", "g 7-7", "g::h 7-7", "i 8-8"],
            ),
            (
                "const { a, b = () => 1 } = c;\nconst d = e ? () => 1 : f;\ng(function () {});\nreturn (h) => { i };\n",
                &[],
            ),
        ],
    );
    check(
        "ts",
        &[
            (
                "export function a(b: string): string;\nexport function a(b: { c: number }): { d: string } {\n  return e;\n}\nabstract class F<T = {}> extends G<{ h: T }> implements I {\n  abstract j(): void\n  k?(): Promise<{ l: T }> {\n    return 1 as any;\n  }\n  private m: (n: T) => void = (n) => {}\n  o: { p(): void };\n  @Input({ q: 1 })\n  r = 1;\n  constructor(private s: T) { super(); }\n}\n",
                &[
                    "a 1-1",
                    "a 2-4",
                    "F 5-15",
                    "F::j 6-6",
                    "F::k 7-9",
                    "F::m 10-10",
                    "F::constructor 14-14",
                ],
            ),
            (
                "interface A<T> extends B<T> {\n  c(): void;\n}\nexport const enum D { E = \"}\" }\ndeclare namespace F.G {\n  function h(): void\n  namespace i { type J = { k: 1 } }\n}\ndeclare global { interface Window { l: 1 } }\nexport type M<N> =\n  | { o: 1 }\n  | { p: () => void }\ntype Q = 1\nconst r = <T,>(s: T): s is T => { return true; };\n",
                &[
                    "A 1-3",
                    "D 4-4",
                    "F.G 5-8",
                    "F.G::h 6-6",
                    "F.G::i 7-7",
                    "F.G::i::J 7-7",
                    "global 9-9",
                    "global::Window 9-9",
                    "M 10-12",
                    "Q 13-13",
                    "r 14-14",
                ],
            ),
            (
                "@Component({\n  selector: 'a',\n})\nexport class B {\n  // C\n  @d() e(): void {}\n}\n",
                &["B 1-7", "B::e 5-6"],
            ),
        ],
    );
}

#[test]
fn declarations_of_c() {
    check(
        "c",
        &[
            (
                "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a(void);\n#ifdef __cplusplus\n}\n#endif\n",
                &["a 4-4"],
            ),
            (
                "int a(int b) {\n  if (b)\n  {\n    c();\n  }\n}\n\nstatic int\nd(void)\n{\n}\n",
                &["a 1-6", "d 8-11"],
            ),
            (
                "#if A\nint a(int b) {\n#else\nint a(void) {\n#endif\n  return 1;\n}\nint c(\n#ifdef D\n  int d)\n#else\n  void)\n#endif\n{\n  if (e) {\n#if F\n  }\n#else\n  }\n#endif\n}\nint g(void) { }\n",
                &["a 2-2", "a 4-7", "c 8-21", "g 22-22"],
            ),
            (
                "int (*a(int b))(int) { }\nint (*c)(int);\ntypedef int (*d)(int);\ntypedef struct { int (*e)(void); } f;\ntypedef unsigned long g, *h;\nstruct i *j(struct i *k) { }\nstruct l;\nunion m { int n; };\nenum { O };\nstatic const struct i p = { .q = 1, };\nint r[] = { 1, 2 }, s;\n",
                &["a 1-1", "d 3-3", "f 4-4", "g 5-5", "j 6-6", "m 8-8"],
            ),
            (
                "#define A(b) do { \\\n  b; \\\n} while (0)\nMODULE(c)\n\n/* D */\n__attribute__((noreturn)) void e(void) __attribute__((cold));\nEXPORT(f) int g(void) { }\nf(1);\n#error don't {\n",
                &["A 1-3", "e 6-7", "g 8-8"],
            ),
        ],
    );
}

#[test]
fn declarations_of_cpp() {
    check(
        "cpp",
        &[
            (
                "A::A(int b) : c_(b), d_{b}, e_<int>{b} {\n  f();\n}\nA::~A() = default;\ntemplate <typename T, int N = (3 > 2)>\nauto A<T>::g() const noexcept -> std::vector<T> { return {}; }\nbool operator==(const A &a, const A &b);\nvoid *A::operator new(size_t) { }\nint A::operator()(int h) const { }\nA::operator bool() const { }\n",
                &[
                    "A::A 1-3",
                    "A::~A 4-4",
                    "A<T>::g 5-6",
                    "operator== 7-7",
                    "A::operator new 8-8",
                    "A::operator() 9-9",
                    "A::operator bool 10-10",
                ],
            ),
            (
                "namespace a::b {\nclass EXPORT C final : public D<E>, F {\n  Q_OBJECT\npublic:\n  C();\n  explicit C(int g = 1) : h{g} {}\n  ~C() override;\n  virtual void i() = 0;\n  template <class T> T j(T k);\n  C &operator=(const C &) = delete;\n  std::function<void(int)> l = [](int) {};\n  int m{1};\n  struct N { int o(); };\nprivate slots:\n  void p();\n};\n}\nusing q = int;\nusing namespace r;\ntemplate <typename T> concept S = requires(T t) { t.u(); };\nauto v = [](int w) { return w; };\nint x(void) try { } catch (...) { }\n",
                &[
                    "a::b 1-17",
                    "a::b::C 2-16",
                    "a::b::C::C 5-5",
                    "a::b::C::C 6-6",
                    "a::b::C::~C 7-7",
                    "a::b::C::i 8-8",
                    "a::b::C::j 9-9",
                    "a::b::C::operator= 10-10",
                    "a::b::C::N 13-13",
                    "a::b::C::N::o 13-13",
                    "a::b::C::p 15-15",
                    "q 18-18",
                    "S 20-20",
                    "x 22-22",
                ],
            ),
            (
                "enum class A : int { B };\nnamespace { struct C {} d; }\ninline namespace e VISIBILITY(hidden) { }\n[[nodiscard]] int f();\ntemplate <> void g<int>(int) {}\n",
                &["A 1-1", "C 2-2", "e 3-3", "f 4-4", "g<int> 5-5"],
            ),
        ],
    );
}

#[test]
fn declarations_of_java() {
    check(
        "java",
        &[
            (
                "@A(b = {1, 2})\npublic sealed interface C permits D {\n  int e();\n  default <T> T f() throws G { return null; }\n  @interface H { String i() default \"\"; }\n}\nrecord J<T>(int k) implements L {\n  J { }\n  static { m(); }\n  { n(); }\n}\n",
                &[
                    "C 1-6", "C::e 3-3", "C::f 4-4", "C::H 5-5", "J 7-11", "J::J 8-8",
                ],
            ),
            (
                "enum A implements B {\n  C(1) {\n    @Override int d() { return 1; }\n  },\n  E { int f() { return 2; } };\n\n  A() { }\n  A(int g) { }\n  abstract int d();\n}\n",
                &[
                    "A 1-10", "A::d 3-3", "A::f 5-5", "A::A 7-7", "A::A 8-8", "A::d 9-9",
                ],
            ),
            (
                "class A {\n  Runnable b = new Runnable() {\n    public void run() { }\n  };\n  int[] c = {1, 2};\n  Map<String, List<Integer>> d() { return new A() { void e() { } }; }\n  @SuppressWarnings(\"f\") // g\n  /* H */\n  private static final synchronized void i(@J int k) { }\n  class L { }\n}\n",
                &["A 1-11", "A::d 6-6", "A::i 7-9", "A::L 10-10"],
            ),
        ],
    );
}

#[test]
fn declarations_of_go_and_rust() {
    check(
        "go",
        &[(
            "type A[T any] struct {\n\tb interface{}\n}\nfunc (a *A[T]) C(d func(int) error) interface{ E() } {\n\treturn f{}\n}\nfunc (A) G() struct{} { return struct{}{} }\nfunc H[K comparable, V any](m map[K]V) {}\ntype (\n\tI = int\n\tJ interface {\n\t\tK()\n\t}\n)\nvar l = func() {}\nvar (\n\tm = map[string]int{\"n\": 1}\n)\nfunc o()\n",
            &[
                "A 1-3", "A::C 4-6", "A::G 7-7", "H 8-8", "I 10-10", "J 11-13", "o 19-19",
            ],
        )],
    );
    check(
        "rs",
        &[
            (
                "impl<T: Fn(u8) -> u8> fmt::Display for a::Pool<'_, T>\nwhere\n    T: for<'b> C<'b>,\n{\n    type D = [u8; 4];\n    const E: u8 = { 1 };\n    pub(crate) const unsafe fn f() -> [u8; 2] { [1; 2] }\n    async fn g<const N: usize>(&self) {}\n}\nimpl dyn H { fn i() {} }\nimpl J for &mut K { fn l() {} }\nimpl M for [u8] { fn n() {} }\nimpl !Send for O {}\n",
                &[
                    "Pool::D 5-5",
                    "Pool::f 7-7",
                    "Pool::g 8-8",
                    "H::i 10-10",
                    "K::l 11-11",
                    "n 12-12",
                ],
            ),
            (
                "#![allow(a)]\n#[b]\n/// C\n#[d(e = \"}\")]\npub extern \"C\" fn f() {}\nextern \"C\" {\n    fn g(h: u8);\n}\nthread_local! {\n    static I: u8 = { 1 };\n}\nmacro_rules! j { ({ $k:tt }) => { fn l() {} }; }\npub union M { n: u8 }\nstruct O<T>(T) where T: P;\nstatic Q: [u8; 1] = [{ 1 }];\nuse r::{s, t};\nmod u;\nmod v { pub trait W { fn x(&self) -> u8 { 1 } } }\nlet union = 1;\n",
                &[
                    "f 2-5",
                    "g 7-7",
                    "j 12-12",
                    "M 13-13",
                    "O 14-14",
                    "v 18-18",
                    "v::W 18-18",
                    "v::W::x 18-18",
                ],
            ),
        ],
    );
}

#[test]
fn declarations_of_python_and_shell() {
    check(
        "py",
        &[
            (
                "@a.b(\n    c,\n)\n# D\n@e\nasync def f(\n    g: int = 1,\n    *,\n    h: dict[str, int] = {\"i\": 1},\n) -> None:\n    async with j: pass\n    def k(): pass\n    class L:\n        def m(self): pass\n\nclass N(O, metaclass=P):\n    if q:\n        def r(self): pass\n    else:\n        async def r(self): pass\n\n    class S: t = 1\n    u = lambda: 1\n\nif v:\n\tdef w():\n\t\treturn x \\\n\ndef y(): return 1; def_ = 2\n",
                &[
                    "f 1-14",
                    "N 16-23",
                    "N::r 18-18",
                    "N::r 20-20",
                    "N::S 22-22",
                    "w 26-27",
                    "y 29-29",
                ],
            ),
            (
                "class A:\n    def b(self):\n        return (\n\n    def c(self):\n        pass\n",
                &["A 1-6", "A::b 2-3", "A::c 5-6"],
            ),
        ],
    );
    check(
        "sh",
        &[
            (
                "function a {\n  cat <<-'EOF' <<B\n\t} it's {\n\tEOF\n}\nB\n}\nb() {\n  echo \"$(echo \"}\" '}' \"${c:-it's}\")\" # } it's\n  echo ${#d} $# $((1 << e)) a#b \\} \\'\n}\nfunction f-g() ( echo $'\\'}' )\nh ()\n{\n  case $1 in\n    -i|--j) k;;\n    (l) m;;\n  esac\n}\nn=(1 2)\n",
                &["a 1-7", "b 8-11", "f-g 12-12", "h 13-19"],
            ),
            (
                "if a; then\n  b() { c; }\nfi\n(d) && e\nf() { g <<<\"}\"; }; h\n((i = 1 << j))\nk() { \"${l//\\\"/'}\"; }\nm() { :; }\n",
                &["b 2-2", "f 5-5", "k 7-7", "m 8-8"],
            ),
        ],
    );
}

#[test]
fn declarations_after_a_missing_bracket_are_found_by_their_indentation() {
    for (kind, text, expected) in [
        (
            "rs",
            "fn a() {\n    b(;\n}\n\nfn c() {\n    if d {\n}\n\n#[e]\nfn f() {}\n",
            &["a 1-3", "c 5-7", "f 9-10"][..],
        ),
        (
            "rs",
            "impl A {\n    fn b() {\n        c(\n\n    fn d() {}\n}\n\nfn e() {}\n",
            &["A::b 2-3", "A::d 5-5", "e 8-8"],
        ),
        (
            "js",
            "class A {\n  b() {\n    if (c) {\n  }\n  d() {}\n}\nfunction e() { f(; }\n}\nfunction g() {}\n",
            &["A 1-6", "A::b 2-4", "A::d 5-5", "e 7-7", "g 9-9"],
        ),
        (
            "c",
            "int a(void)\n{\n  b((;\n}\n\nstatic int c(void)\n{\n}\n",
            &["a 1-4", "c 6-8"],
        ),
        (
            "go",
            "func a() {\n\tb(\n\nfunc c() {\n}\n",
            &["a 1-2", "c 4-5"],
        ),
        (
            "java",
            "class A {\n  void b() {\n    if (c) {\n  }\n\n  void d() { }\n}\n",
            &["A 1-7", "A::b 2-4", "A::d 6-6"],
        ),
    ] {
        assert_eq!(symbols(kind, text), expected, "{kind}: {text}");
    }
}

#[test]
fn documentation_is_what_directly_precedes_a_symbol_or_begins_it() {
    for (kind, text, file, symbol) in [
        (
            "rs",
            "//! A\n\n/// B\n#[c]\n/// D\nfn e() {}\n",
            "//! A",
            "/// B/// D",
        ),
        ("rs", "fn a() {} // B\nfn c() {}\n", "", ""),
        ("js", "// A\n\n// B\n\nfunction c() {}\n", "// A", ""),
        ("js", "let a = 1\n// B\nlet c = () => 1\n", "", "// B"),
        ("go", "var a = 1\n/* B */\nfunc c() {}\n", "", "/* B */"),
        (
            "sh",
            "#!/bin/sh\n# A\n\n# B\nc() { :; }\n",
            "#!/bin/sh# A",
            "# B",
        ),
        (
            "py",
            "# A\n'''B'''\n\n# C\n@d\ndef e():\n    # F\n    r\"\"\"G\"\"\"\n",
            "# A'''B'''",
            "# C\"\"\"G\"\"\"",
        ),
        (
            "py",
            "class A:\n    def b(self): pass\n    # C\n\ndef d(): pass\n",
            "",
            "",
        ),
        (
            "c",
            "/* A */\n#include <b>\n/* C */\n#define D(e) e\n",
            "/* A */",
            "/* C */",
        ),
        ("java", "/** A */\n@B\npublic class C { }\n", "", "/** A */"),
    ] {
        let outline = outline(kind, text);
        let shown = |docs: &[std::ops::Range<usize>]| -> String {
            docs.iter().map(|docs| &text[docs.clone()]).collect()
        };
        assert_eq!(shown(&outline.docs), file, "{kind}: {text}");
        let docs = outline.symbols.iter().map(|symbol| shown(&symbol.docs));
        assert_eq!(docs.collect::<String>(), symbol, "{kind}: {text}");
    }
}

#[test]
fn strings_without_end_and_deep_brackets_are_faults() {
    for (kind, text, at) in [
        ("c", "int a; /* b", 7),
        ("cpp", "a = R\"x( )\"", 4),
        ("go", "var b = `c", 8),
        ("js", "a = `b${c}", 4),
        ("js", "a = `b${c", 4),
        ("py", "a = \"\"\"b\"\"", 4),
        ("rs", "/* /* a */", 0),
        ("rs", "r#\"a\"", 0),
        ("sh", "a <<B\nb", 2),
        ("sh", "a \"$(b", 2),
    ] {
        let syntax = Syntax::for_extension(kind).expect("a language");
        let fault = Outline::read(syntax, text).err();
        assert_eq!(fault, Some(Fault::Open(at)), "{kind}: {text}");
    }
    for kind in ["c", "go", "java", "js", "py", "rs", "sh"] {
        let syntax = Syntax::for_extension(kind).expect("a language");
        let [most, more] = [MAX_DEPTH, MAX_DEPTH + 1].map(|depth| {
            let text = format!("a = {}{}\n", "(".repeat(depth), ")".repeat(depth));
            Outline::read(syntax, &text).err()
        });
        assert_eq!(most, None, "{kind}");
        assert_eq!(more, Some(Fault::Deep(4 + MAX_DEPTH)), "{kind}");
    }
}

#[test]
fn lines_with_syntax_errors_are_counted_once() {
    for (kind, text, broken) in [
        ("c", "int a;\n) ] }\nchar *b = \"c;\n", 5 + 13),
        ("py", "a = 1\nb $ ? )\n", 7),
        ("py", "a = 'b\n", 6),
        ("sh", "case a in b) c;; esac\n", 0),
        ("tsx", "a = <p>Don't</p>\n", 0),
        ("rs", "fn a() { ) }\r\nfn b() {}\r\n", 12),
    ] {
        assert_eq!(outline(kind, text).broken, broken, "{kind}: {text}");
    }
}

/// A random number generator, which is used to break source code at random positions.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 40).expect("small") % end.max(1)
    }
}

const FIXTURES: [(&str, &str); 9] = [
    ("c", include_str!("../../fixtures/indexers/code/sonar.c")),
    ("cpp", include_str!("../../fixtures/indexers/code/buoy.cpp")),
    ("go", include_str!("../../fixtures/indexers/code/locks.go")),
    (
        "java",
        include_str!("../../fixtures/indexers/code/Signal.java"),
    ),
    ("js", include_str!("../../fixtures/indexers/code/berths.js")),
    ("py", include_str!("../../fixtures/indexers/code/tides.py")),
    ("rs", include_str!("../../fixtures/indexers/code/pool.rs")),
    ("sh", include_str!("../../fixtures/indexers/code/deploy.sh")),
    ("tsx", include_str!("../../fixtures/indexers/code/Card.tsx")),
];

#[test]
fn symbols_of_broken_code_are_in_the_text_and_in_order() {
    let mut random = Random(24);
    for _ in 0..500 {
        for (kind, text) in FIXTURES {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(5) {
                let start = random.below(bytes.len());
                let end = bytes.len().min(start + random.below(60));
                let piece = bytes[start..end].to_vec();
                let to = random.below(bytes.len());
                match random.below(4) {
                    0 => drop(bytes.drain(start..end)),
                    1 => drop(bytes.splice(to..to, piece)),
                    2 => bytes.insert(to, b"(){}[]\"'`\\/*#<\n"[random.below(15)]),
                    _ => bytes.insert(to, u8::try_from(random.below(256)).expect("a byte")),
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            let syntax = Syntax::for_extension(kind).expect("a language");
            let Ok(outline) = Outline::read(syntax, &text) else {
                continue;
            };
            assert!(outline.broken <= text.len(), "{kind}: {text}");
            let mut last = 0;
            for symbol in &outline.symbols {
                let bytes = &symbol.bytes;
                assert!(
                    last <= bytes.start && bytes.start < bytes.end && bytes.end <= text.len(),
                    "{kind}: {symbol:?}: {text}"
                );
                last = bytes.start;
            }
        }
    }
}

/// Design: R20.
#[test]
fn minified_code_takes_time_in_proportion() {
    let time = |count: usize| {
        let text = "function a(b){return b+1}var c=d=>`${e/2}`,f=/'/;".repeat(count);
        let syntax = Syntax::for_extension("js").expect("a language");
        let start = std::time::Instant::now();
        assert!(Outline::read(syntax, &text).is_ok());
        start.elapsed()
    };
    let (half, whole) = (time(100_000), time(200_000));
    let noise = std::time::Duration::from_millis(500);
    assert!(whole < half * 4 + noise, "{half:?}, then {whole:?}");
}
