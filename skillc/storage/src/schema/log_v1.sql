CREATE TABLE IF NOT EXISTS access_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    run_id TEXT NOT NULL,
    command TEXT NOT NULL,
    skill TEXT NOT NULL,
    skill_path TEXT NOT NULL,
    cwd TEXT NOT NULL,
    args TEXT NOT NULL,
    error TEXT
);
CREATE INDEX IF NOT EXISTS idx_access_log_timestamp ON access_log(timestamp);
CREATE INDEX IF NOT EXISTS idx_access_log_command ON access_log(command);
-- Indexes successful reads by file and section.
CREATE INDEX IF NOT EXISTS idx_access_log_target ON access_log({file}, {section})
    WHERE command IN ('show', 'open') AND error IS NULL;
