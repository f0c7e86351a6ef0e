-- Ours: what a search needs of every file, in the order of a walk and without the texts of the skills between.
CREATE TABLE skill_heads (
  path TEXT PRIMARY KEY, mtime_ms INTEGER NOT NULL, bytes INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
  name TEXT NOT NULL, description TEXT NOT NULL
) WITHOUT ROWID;
