CREATE VIRTUAL TABLE sections USING fts5(file, section, content, tokenize='{tokenize}');
CREATE TABLE headings (
    id INTEGER PRIMARY KEY,
    file TEXT NOT NULL,
    text TEXT NOT NULL,
    level INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL
);
CREATE TABLE index_meta (
    key TEXT PRIMARY KEY,
    value TEXT
);
-- Not in the specification: the lines of each row of sections, with the same rowid.
CREATE TABLE section_lines (
    rowid INTEGER PRIMARY KEY,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL
);
-- Not in the specification: the rows of each file, so that only edited files are replaced. Ranges are half-open.
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    first_section INTEGER NOT NULL,
    end_section INTEGER NOT NULL,
    first_heading INTEGER NOT NULL,
    end_heading INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    cjk_chars INTEGER NOT NULL
) WITHOUT ROWID;
