-- Not in the specification: the data that a search needs from every file, in path order and apart from the bodies.
CREATE TABLE skill_heads (
  path TEXT PRIMARY KEY, mtime_ms INTEGER NOT NULL, bytes INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
  name TEXT NOT NULL, description TEXT NOT NULL
) WITHOUT ROWID;
