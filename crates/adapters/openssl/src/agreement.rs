//! Key agreement by EVP_PKEY, the same for all curves. How keys are made and peers parsed is in `ec` and
//! `x25519`.

use cryptobench_harness::Failure;
use openssl::{
    pkey::{PKeyRef, Private, Public},
    pkey_ctx::{PkeyCtx, PkeyCtxRef},
};

/// A context of `key` ready to agree. Contexts hold references of their own to key and peer; the crate's
/// `Deriver` borrows its peer for as long as it lives, and so cannot be kept for the next one.
#[inline]
pub(crate) fn ready(key: &PKeyRef<Private>) -> Result<PkeyCtx<Private>, Failure> {
    let mut context = PkeyCtx::new(key).map_err(Failure::library("EVP_PKEY_CTX_new"))?;
    context.derive_init().map_err(Failure::library("EVP_PKEY_derive_init"))?;
    Ok(context)
}

/// The secret shared with `peer`, which OpenSSL checks unless told otherwise.
#[inline]
pub(crate) fn agree(
    own: &mut PkeyCtxRef<Private>,
    peer: &PKeyRef<Public>,
    secret: &mut [u8],
) -> Result<(), Failure> {
    own.derive_set_peer(peer).map_err(|_| Failure::Refused)?;
    let length = secret.len();
    // With a valid own key this fails for peers that lead to a secret of zeros (X25519).
    let written = own.derive(Some(secret)).map_err(|_| Failure::Refused)?;
    if written == length {
        return Ok(());
    }
    Err(Failure::wrong(format!("a secret of {written} bytes instead of {length}")))
}
