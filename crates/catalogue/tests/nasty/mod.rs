//! Documents with everything that a copy could lose, and what the contents of `a` are in them. No test is in it.

/// Documents that are well-formed, and what is handed over of each.
pub(crate) const NASTY: &[(&str, &[&str])] = &[
    ("<a/>", &[]),
    ("<a></a>", &[""]),
    ("<a>x</a>", &["x"]),
    ("<r><a>x</a><a>y</a></r>", &["x", "y"]),
    // White space in tags, and around the root.
    ("\n<r >\r\n<a  \n>x</a\t\n>\t</r  >\n\n", &["x"]),
    ("<r><a /><b\n/></r>", &[]),
    // Line ends and white space are no business of a copy's.
    ("<?xml version='1.0' ?>\r\n<r>\r\n  <a> x \r\n </a>\r</r>\r\n", &[" x \r\n "]),
    // Nested in itself, also where the inner one has no content.
    (
        "<r><a>1<a>2</a><a/>3<b><a>4</a></b></a><a>5</a></r>",
        &["1<a>2</a><a/>3<b><a>4</a></b>", "5"],
    ),
    // Names of which `a` is a part.
    ("<r><aa>1</aa><x:a xmlns:x='u'>2</x:a><A>3</A><b a='4'/><a>5</a></r>", &["5"]),
    // Markup in a field.
    (
        "<r><a>1<b c=\"d\">2</b><!-- </a> --><![CDATA[</a>]]><?p </a>?></a></r>",
        &["1<b c=\"d\">2</b><!-- </a> --><![CDATA[</a>]]><?p </a>?>"],
    ),
    // References as they stand, known or not.
    (
        "<a>&amp;&lt;x&gt; &#233;&#xE9; &unknown;&quot;</a>",
        &["&amp;&lt;x&gt; &#233;&#xE9; &unknown;&quot;"],
    ),
    // What looks like a field and is none.
    ("<r><!-- <a>1</a> --><![CDATA[<a>2</a>]]><?p <a>3</a>?><b c='>'/><a>4</a></r>", &["4"]),
    // Attributes: quotes, order, white space, `>` and references in them.
    ("<r x = '1'  y=\"2\"\n z='\"' w=\">'/&gt;&#10;\"><a b='/a>' c=\"\">x</a ></r>", &["x"]),
    ("<r><a b='>'>x</a><a b=\"/>\"/></r>", &["x"]),
    // CDATA with brackets, comments with single hyphens and nothing.
    ("<r><![CDATA[]]><![CDATA[]]]]><![CDATA[ ]>]]]><!----><!-- - -x- --><a>1</a></r>", &["1"]),
    // A document type with an internal subset.
    (
        "<?xml version=\"1.0\" standalone='no'?>\n<!-- 1 --><?p?>\n<!DOCTYPE  r SYSTEM \"r>.dtd\" [\n\
         <!ENTITY e \"<a>]]>1</a>\">\n<!-- ]> <a>2</a> --><?p ]> ?>\n<!ATTLIST r x CDATA '>'>\n\
         <!ELEMENT a (#PCDATA)> %p; ] >\n<r>&e;<a>&e;</a></r><!-- 3 --><?p 4?>\n",
        &["&e;"],
    ),
    // A byte order mark, and one that is text.
    ("\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><a>\u{feff}</a>", &["\u{feff}"]),
    ("\u{feff}<a>x</a>", &["x"]),
    // More than one byte a character, in text, names and values.
    ("<名 å='ü😀'><a>é😀\u{2028}</a><ä>ö</ä></名>", &["é😀\u{2028}"]),
    // `>`, quotes and single brackets are text.
    ("<r><a>x > y ]] ] > \"'</a></r>", &["x > y ]] ] > \"'"]),
    // Depth.
    ("<a><a><a><a><a></a></a></a></a></a>", &["<a><a><a><a></a></a></a></a>"]),
];
