//! Annotations for Rust, as thrace/annotate.h has them for C: what a program's threads work on, in the trace of
//! `thrace record`. thrace-annotate(3) describes them.
//!
//!     mod thrace;
//!
//!     let _task = thrace::task("request");
//!     let _region = thrace::region("parse");
//!     thrace::log("cache", format_args!("{hits} of {asked} found"));
//!
//! Nothing has to be linked: copy this file into a crate. What it calls is looked for once, in the libraries that the
//! process has loaded by then, with dlsym; without thrace each call is two loads and two branches after that. On x86-64
//! they are also found where `thrace attach` puts them, in the program's table of offsets. A signal handler may annotate
//! if `enabled` was called before.
//!
//! Names go up to a NUL in them, if there is one, and are cut to 1024 bytes. Linux, Rust 1.82 or later. Since: 0.1.
#![allow(dead_code)]

use std::ffi::c_void;
use std::fmt::{self, Display, Write};
use std::marker::PhantomData;
use std::mem::{transmute, MaybeUninit};
use std::os::raw::{c_char, c_int};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// What a slot has until the function was looked for, and when there is none.
const UNKNOWN: *mut c_void = null_mut();
const NONE: *mut c_void = 1 as *mut c_void;

struct Optional {
    found: AtomicPtr<c_void>,
    name: &'static str, // with its NUL
}

impl Optional {
    const fn named(name: &'static str) -> Optional {
        Optional { found: AtomicPtr::new(UNKNOWN), name }
    }

    #[inline(always)]
    fn get(&self) -> Option<*mut c_void> {
        let mut found = self.found.load(Ordering::Relaxed);
        if found == UNKNOWN {
            found = self.find();
        }
        if found == NONE { None } else { Some(found) }
    }

    #[cold]
    #[inline(never)]
    fn find(&self) -> *mut c_void {
        let found = unsafe { dlsym(null_mut(), self.name.as_ptr() as *const c_char) };
        let found = if found.is_null() { NONE } else { found };
        self.found.store(found, Ordering::Relaxed);
        found
    }
}

/// What a weak symbol leads to.
#[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
macro_rules! weak {
    ($symbol:expr) => {{
        let found: *mut c_void;
        unsafe {
            std::arch::asm!(concat!(".weak ", $symbol), concat!("movq ", $symbol, "@GOTPCREL(%rip), {}"),
                            out(reg) found, options(att_syntax, readonly, nostack, preserves_flags));
        }
        if found.is_null() { None } else { Some(found) }
    }};
}
#[cfg(not(all(target_arch = "x86_64", target_pointer_width = "64")))]
macro_rules! weak {
    ($symbol:expr) => {
        None
    };
}

/// A function of the library, as far as it is there.
macro_rules! optional {
    ($name:literal, fn($($argument:ty),*) $(-> $result:ty)?) => {{
        type Function = unsafe extern "C" fn($($argument),*) $(-> $result)?;
        static FUNCTION: Optional = Optional::named(concat!("thrace_annotate_", $name, "\0"));
        match weak!(concat!("thrace_annotate_", $name)).or_else(|| FUNCTION.get()) {
            Some(f) => Some(unsafe { transmute::<*mut c_void, Function>(f) }),
            None => None,
        }
    }};
}

/// Text with a NUL at its end, as far as a trace takes it; the library cuts between characters.
struct Text {
    bytes: [MaybeUninit<u8>; Text::MAX + 1],
    len: usize,
}

impl Text {
    const MAX: usize = 1024 + 3;

    #[inline(always)]
    fn empty() -> Text {
        Text { bytes: [MaybeUninit::uninit(); Text::MAX + 1], len: 0 }
    }

    #[inline(always)]
    fn of(s: &str) -> Text {
        let mut text = Text::empty();
        text.add(s);
        text
    }

    #[inline(always)]
    fn add(&mut self, s: &str) {
        let n = s.len().min(Text::MAX - self.len);
        let to = self.bytes[self.len..].as_mut_ptr() as *mut u8;
        unsafe { std::ptr::copy_nonoverlapping(s.as_ptr(), to, n) };
        self.len += n;
    }

    #[inline(always)]
    fn c_str(&mut self) -> *const c_char {
        self.bytes[self.len] = MaybeUninit::new(0);
        self.bytes.as_ptr() as *const c_char
    }
}

impl Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.add(s);
        Ok(())
    }
}

/// Guards belong to the thread that made them.
type OfThread = PhantomData<*const ()>;

/// Is anything recorded right now?
#[inline(always)]
pub fn enabled() -> bool {
    match optional!("enabled", fn() -> c_int) {
        Some(f) => unsafe { f() != 0 },
        None => false,
    }
}

/// The task that the calling thread works for; 0: none.
#[inline(always)]
pub fn task_current() -> u64 {
    match optional!("task_current", fn() -> u64) {
        Some(f) => unsafe { f() },
        None => 0,
    }
}

/// Begins a task that is a part of another one, 0 for none. Returns its number, or 0 without thrace.
#[inline(always)]
pub fn task_begin_in(parent: u64, name: &str) -> u64 {
    match optional!("task_begin", fn(*const c_char, u64) -> u64) {
        Some(f) => unsafe { f(Text::of(name).c_str(), parent) },
        None => 0,
    }
}

/// Begins a task that is a part of the one that the calling thread works for.
#[inline(always)]
pub fn task_begin(name: &str) -> u64 {
    task_begin_in(task_current(), name)
}

/// Ends a task, on any thread.
#[inline(always)]
pub fn task_end(task: u64) {
    if let Some(f) = optional!("task_end", fn(u64)) {
        unsafe { f(task) }
    }
}

/// The calling thread works for the task from now on; returns the one before.
#[inline(always)]
pub fn task_adopt(task: u64) -> u64 {
    match optional!("task_adopt", fn(u64) -> u64) {
        Some(f) => unsafe { f(task) },
        None => 0,
    }
}

#[inline(always)]
pub fn region_begin(name: &str) {
    if let Some(f) = optional!("region_begin", fn(*const c_char)) {
        unsafe { f(Text::of(name).c_str()) }
    }
}

/// Ends the calling thread's innermost region.
#[inline(always)]
pub fn region_end() {
    if let Some(f) = optional!("region_end", fn()) {
        unsafe { f() }
    }
}

/// A message in a category; `format_args!` is made into text only when something is recorded.
#[inline(always)]
pub fn log(category: &str, message: impl Display) {
    if let Some(f) = optional!("log", fn(*const c_char, *const c_char)) {
        if enabled() {
            let mut text = Text::empty();
            let _ = write!(text, "{}", message);
            unsafe { f(Text::of(category).c_str(), text.c_str()) }
        }
    }
}

/// What a counter shows now.
#[inline(always)]
pub fn count(name: &str, value: i64) {
    if let Some(f) = optional!("count", fn(*const c_char, i64)) {
        unsafe { f(Text::of(name).c_str(), value) }
    }
}

/// Labels the calling thread from now on.
#[inline(always)]
pub fn label(label: &str) {
    if let Some(f) = optional!("label", fn(*const c_char)) {
        unsafe { f(Text::of(label).c_str()) }
    }
}

/// A region that ends when this is dropped.
#[must_use = "the region ends when this is dropped"]
pub struct Region(OfThread);

#[inline(always)]
pub fn region(name: &str) -> Region {
    region_begin(name);
    Region(PhantomData)
}

impl Drop for Region {
    #[inline(always)]
    fn drop(&mut self) {
        region_end();
    }
}

/// The thread works for a task until this is dropped, and then for the one before.
#[must_use = "the thread works for the task until this is dropped"]
pub struct Adopted {
    before: u64,
    of_thread: OfThread,
}

#[inline(always)]
pub fn adopt(task: u64) -> Adopted {
    Adopted { before: task_adopt(task), of_thread: PhantomData }
}

impl Drop for Adopted {
    #[inline(always)]
    fn drop(&mut self) {
        task_adopt(self.before);
    }
}

/// A task that ends when this is dropped; the thread works for it meanwhile.
#[must_use = "the task ends when this is dropped"]
pub struct Task {
    id: u64,
    _adopted: Adopted,
}

#[inline(always)]
pub fn task(name: &str) -> Task {
    let id = task_begin(name);
    Task { id, _adopted: adopt(id) }
}

impl Task {
    pub fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Task {
    #[inline(always)]
    fn drop(&mut self) {
        task_end(self.id);
    }
}

/// Something to call on another thread, of a pool for example, for the task that the calling thread works for.
pub fn carry<R>(function: impl FnOnce() -> R) -> impl FnOnce() -> R {
    let task = task_current();
    move || {
        let _works_for = adopt(task);
        function()
    }
}
