CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  call_id TEXT NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('enter','exit')),
  ts TEXT NOT NULL,
  run_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  cwd TEXT NOT NULL,
  args TEXT,
  ok INTEGER,
  error_code TEXT, error_message TEXT,
  duration_ms REAL, result_bytes INTEGER, result_sha256 TEXT,
  warnings TEXT
);
CREATE INDEX idx_audit_call ON audit(call_id);
CREATE INDEX idx_audit_tool_ts ON audit(tool, ts);
