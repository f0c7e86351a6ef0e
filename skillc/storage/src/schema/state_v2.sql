CREATE TABLE run_loads (
  run_id TEXT NOT NULL, path TEXT NOT NULL, mtime_ms INTEGER NOT NULL,
  sha256 TEXT NOT NULL, loads INTEGER NOT NULL, last_at TEXT NOT NULL,
  PRIMARY KEY (run_id, path)
);
