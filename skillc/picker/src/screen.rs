//! The picker's terminal: it is switched to the alternate screen and to raw mode, and is restored no matter how the
//! picker ends.
//!
//! Design: CAT-PICK.6.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use skillc_core::{Error, Result};

use super::model::Press;

/// How often the picker checks for a termination signal.
const PATIENCE: Duration = Duration::from_millis(100);

/// The size of the output buffer in bytes, which is more than a frame usually needs.
const PICTURE: usize = 1 << 16;

/// The grace period for a normal exit after a signal.
const GRACE: Duration = Duration::from_secs(1);

/// The terminal while the picker uses it; restored on drop.
pub(crate) struct Screen {
    /// The output is buffered, so that each frame is one write: ratatui flushes at the end of a frame.
    pub(crate) terminal: Terminal<CrosstermBackend<BufWriter<io::Stderr>>>,
    /// Whether a termination signal was received.
    is_over: Arc<AtomicBool>,
}

/// Returns whether the picker can run interactively: standard input and standard error must be terminals, and `term`
/// must not be `dumb`. Standard output is reserved for the choice.
pub(crate) fn is_there(term: Option<&str>) -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal() && term != Some("dumb")
}

impl Screen {
    /// Takes over the terminal.
    ///
    /// `end`: exits the process. Called after a signal if the picker is still running after [`GRACE`].
    ///
    /// # Errors
    /// E999 if the terminal or the signal handler cannot be set up.
    pub(crate) fn open(end: impl Fn() + Send + 'static) -> Result<Self> {
        let fail = |error: io::Error| Error::internal(format!("taking the terminal: {error}"));
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        // In raw mode, Ctrl-C is a key, so the handler is called only for signals from other processes, and for the
        // hang-up of a closed terminal. Reading keys from a closed terminal never returns (crossterm reads the end of
        // file in a loop), so if the handler only set a flag, the process would never end, and would keep a core busy.
        let handler = move || {
            over.store(true, Ordering::Relaxed);
            thread::sleep(GRACE);
            give_back(&mut io::stderr());
            end();
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Error::internal(format!("waiting for signals: {error}")))?;
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |fault| {
            // Leave the alternate screen first; otherwise the panic message would disappear together with the alternate
            // screen.
            give_back(&mut io::stderr());
            tell(fault);
        }));
        enable_raw_mode().map_err(fail)?;
        let taken = execute!(io::stderr(), EnterAlternateScreen);
        let writer = BufWriter::with_capacity(PICTURE, io::stderr());
        let terminal = taken.and_then(|()| Terminal::new(CrosstermBackend::new(writer)));
        let terminal = terminal.map_err(|error| {
            give_back(&mut io::stderr());
            fail(error)
        })?;
        Ok(Self { terminal, is_over })
    }

    /// Waits for a key that has an action; `None` if the screen was resized. After a termination signal, returns
    /// [`Press::Leave`].
    ///
    /// # Errors
    /// E999 if the terminal is gone.
    pub(crate) fn press(&self) -> Result<Option<Press>> {
        let fail = |error: io::Error| Error::internal(format!("reading keys: {error}"));
        loop {
            if self.is_over.load(Ordering::Relaxed) {
                return Ok(Some(Press::Leave));
            }
            if !event::poll(PATIENCE).map_err(fail)? {
                continue;
            }
            match event::read().map_err(fail)? {
                Event::Key(key) => {
                    if let Some(press) = meaning(key) {
                        return Ok(Some(press));
                    }
                }
                Event::Resize(..) => return Ok(None),
                _ => {}
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back(&mut io::stderr());
    }
}

/// Restores the terminal. Errors are ignored: there is nowhere left to report them.
fn give_back(out: &mut impl Write) {
    disable_raw_mode().unwrap_or_default();
    execute!(out, LeaveAlternateScreen, Show).unwrap_or_default();
}

/// Returns the action of a key; `None` if it has none.
fn meaning(key: KeyEvent) -> Option<Press> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c') if has_control => Press::Leave,
        KeyCode::Char('n') if has_control => Press::Down(1),
        KeyCode::Char('p') if has_control => Press::Up(1),
        KeyCode::Char('u') if has_control => Press::Clear,
        KeyCode::Char(' ') => Press::Switch,
        KeyCode::Char(_) if has_control || key.modifiers.contains(KeyModifiers::ALT) => {
            return None;
        }
        KeyCode::Char(c) => Press::Type(c),
        KeyCode::Backspace => Press::Erase,
        KeyCode::Up => Press::Up(1),
        KeyCode::Down => Press::Down(1),
        KeyCode::Home => Press::First,
        KeyCode::End => Press::Last,
        KeyCode::PageUp => Press::Back,
        KeyCode::PageDown => Press::Forth,
        KeyCode::Tab => Press::NextScope,
        KeyCode::Enter => Press::Choose,
        KeyCode::Esc => Press::Leave,
        _ => return None,
    })
}
