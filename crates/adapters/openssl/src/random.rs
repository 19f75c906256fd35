//! OpenSSL's random source, replaced by the harness's for as long as a key is generated from it.
//! RSA_generate_key_ex draws everything by RAND_priv_bytes_ex, which asks the RAND_METHOD before any generator of
//! OpenSSL 3's; generators themselves (EVP_RAND) cannot be replaced without a provider.

use crate::cipher::succeeded;
use cryptobench_harness::{Failure, inputs::SeededRandom};
use std::{
    cell::RefCell,
    ffi::{c_double, c_int, c_void},
    ptr, slice,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// `RAND_METHOD` of openssl/rand.h.
#[repr(C)]
struct Method {
    seed: Option<unsafe extern "C" fn(*const c_void, c_int) -> c_int>,
    bytes: Option<unsafe extern "C" fn(*mut u8, c_int) -> c_int>,
    cleanup: Option<unsafe extern "C" fn()>,
    add: Option<unsafe extern "C" fn(*const c_void, c_int, c_double) -> c_int>,
    pseudorand: Option<unsafe extern "C" fn(*mut u8, c_int) -> c_int>,
    status: Option<unsafe extern "C" fn() -> c_int>,
}

// openssl-sys does not name them. Deprecated since 3.0, and so absent from an OpenSSL that was configured with
// `no-deprecated`, which does not link then; no distribution's is.
unsafe extern "C" {
    fn RAND_set_rand_method(method: *const Method) -> c_int;
    fn RAND_OpenSSL() -> *const Method;
}

static LENT: Method = Method {
    seed: None,
    bytes: Some(bytes),
    cleanup: None,
    add: None,
    pseudorand: Some(bytes),
    status: Some(status),
};

thread_local! {
    static SOURCE: RefCell<Option<SeededRandom>> = const { RefCell::new(None) };
}

/// The method is the whole process's: whoever comes second would put back the usual one while the first still draws.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// OpenSSL draws from `random` in this thread until this is dropped.
pub(crate) struct Lending<'a> {
    random: &'a mut SeededRandom,
    _turn: MutexGuard<'static, ()>,
}

impl<'a> Lending<'a> {
    pub(crate) fn new(random: &'a mut SeededRandom) -> Result<Self, Failure> {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        SOURCE.set(Some(random.clone()));
        let lending = Self { random, _turn: turn };
        // SAFETY: a method that is never freed, with functions that any thread may call.
        succeeded(unsafe { RAND_set_rand_method(&raw const LENT) })
            .map_err(Failure::library("RAND_set_rand_method"))?;
        Ok(lending)
    }
}

impl Drop for Lending<'_> {
    fn drop(&mut self) {
        // SAFETY: null makes OpenSSL choose its default again, as it did at first.
        unsafe { RAND_set_rand_method(ptr::null()) };
        // What was drawn is drawn.
        if let Some(random) = SOURCE.take() {
            *self.random = random;
        }
    }
}

/// Random bytes: of the thread's source, or, in threads that lend none, of OpenSSL's own.
///
/// # Safety
///
/// `output` is valid for writes of `length` bytes.
unsafe extern "C" fn bytes(output: *mut u8, length: c_int) -> c_int {
    let Ok(len) = usize::try_from(length) else { return 0 };
    if len == 0 {
        return 1;
    }
    SOURCE.with_borrow_mut(|source| match source {
        Some(source) => {
            // SAFETY: the caller's promise. What the bytes are so far may be anything, and so they are made zeros
            // before they are lent as a slice.
            let output = unsafe {
                output.write_bytes(0, len);
                slice::from_raw_parts_mut(output, len)
            };
            source.fill(output);
            1
        }
        None => {
            // SAFETY: takes nothing and returns a constant of the library.
            let usual = unsafe { RAND_OpenSSL().as_ref() };
            match usual.and_then(|method| method.bytes) {
                // SAFETY: the caller's promise, passed on.
                Some(bytes) => unsafe { bytes(output, length) },
                None => 0,
            }
        }
    })
}

extern "C" fn status() -> c_int {
    1
}
