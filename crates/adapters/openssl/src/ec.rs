//! ECDH on the NIST curves by EVP_PKEY, the peer's key from the bytes of its point.

use crate::{
    agreement::{agree, ready},
    cipher::succeeded,
};
use cryptobench_harness::{
    Failure,
    operations::ecdh::{EphemeralKey, StaticKey},
};
use foreign_types::{ForeignType, ForeignTypeRef};
use openssl::{
    bn::{BigNum, BigNumContext},
    ec::{EcGroup, EcKey, EcPoint},
    error::ErrorStack,
    nid::Nid,
    pkey::{Id, PKey, PKeyRef, Params, Private, Public},
    pkey_ctx::PkeyCtx,
};
use openssl_sys as ffi;
use std::{ffi::CStr, marker::PhantomData, sync::OnceLock};

/// OpenSSL's name of an encoded point among the parameters of a key.
const ENCODED_PUBLIC_KEY: &CStr = c"encoded-pub-key";

/// A NIST curve.
pub(crate) trait Named: 'static {
    /// The curve's number.
    const NID: Nid;

    /// Where the curve's parameters are kept.
    fn parameters() -> &'static OnceLock<PKey<Params>>;
}

macro_rules! curves {
    ($($curve:ident = $nid:ident),* $(,)?) => {
        $(
            /// The curve of that name.
            pub(crate) struct $curve;

            impl Named for $curve {
                const NID: Nid = Nid::$nid;

                fn parameters() -> &'static OnceLock<PKey<Params>> {
                    static PARAMETERS: OnceLock<PKey<Params>> = OnceLock::new();
                    &PARAMETERS
                }
            }
        )*
    };
}

curves! {
    P256 = X9_62_PRIME256V1,
    P384 = SECP384R1,
    P521 = SECP521R1,
}

/// A generated key pair, by a key of the provider from beginning to end. The crate's `EcKey`, the
/// structure of OpenSSL before version 3, is converted to one at each agreement: 92 µs instead of 75 for
/// an agreement on P-256 with a new key.
pub(crate) struct EphemeralEcKey<C> {
    key: PKey<Private>,
    curve: PhantomData<C>,
}

impl<C: Named> EphemeralKey for EphemeralEcKey<C> {
    #[inline]
    fn generate() -> Result<Self, Failure> {
        let key = generated(parameters::<C>()?).map_err(Failure::library("EVP_PKEY_keygen"))?;
        Ok(Self { key, curve: PhantomData })
    }

    #[inline]
    fn public_key(&self, out: &mut [u8]) -> Result<(), Failure> {
        let mut written = 0;
        // SAFETY: the key is alive, the name ends with a zero, and at most `out.len()` bytes are written.
        let done = unsafe {
            ffi::EVP_PKEY_get_octet_string_param(
                self.key.as_ptr(),
                ENCODED_PUBLIC_KEY.as_ptr(),
                out.as_mut_ptr(),
                out.len(),
                &mut written,
            )
        };
        succeeded(done).map_err(Failure::library("EVP_PKEY_get_octet_string_param"))?;
        if written == out.len() {
            return Ok(());
        }
        Err(Failure::wrong(format!("a point of {written} bytes instead of {}", out.len())))
    }

    #[inline]
    fn agree(self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        agree(&mut *ready(&self.key)?, &*parsed::<C>(peer)?, secret)
    }
}

/// A private key with a context of its own, reused for every agreement.
pub(crate) struct StaticEcKey<C> {
    context: PkeyCtx<Private>,
    curve: PhantomData<C>,
}

impl<C: Named> StaticKey for StaticEcKey<C> {
    fn new(scalar: &[u8]) -> Result<Self, Failure> {
        let key = imported(C::NID, scalar).map_err(Failure::library("EC_KEY_set_private_key"))?;
        Ok(Self { context: ready(&key)?, curve: PhantomData })
    }

    #[inline]
    fn agree(&mut self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        agree(&mut self.context, &*parsed::<C>(peer)?, secret)
    }
}

/// The parameters of `C`, made once: a curve given by its name is looked up again for every key.
#[inline]
fn parameters<C: Named>() -> Result<&'static PKeyRef<Params>, Failure> {
    if let Some(parameters) = C::parameters().get() {
        return Ok(parameters);
    }
    let made = make_parameters(C::NID).map_err(Failure::library("EVP_PKEY_paramgen"))?;
    Ok(C::parameters().get_or_init(|| made))
}

#[cold]
fn make_parameters(curve: Nid) -> Result<PKey<Params>, ErrorStack> {
    let mut context = PkeyCtx::new_id(Id::EC)?;
    context.paramgen_init()?;
    context.set_ec_paramgen_curve_nid(curve)?;
    context.paramgen()
}

#[inline]
fn generated(parameters: &PKeyRef<Params>) -> Result<PKey<Private>, ErrorStack> {
    let mut context = PkeyCtx::new(parameters)?;
    context.keygen_init()?;
    context.keygen()
}

/// The key with that scalar, as a key of the provider: PKCS#8 is the crate's way from an `EcKey` to one.
fn imported(curve: Nid, scalar: &[u8]) -> Result<PKey<Private>, ErrorStack> {
    let group = EcGroup::from_curve_name(curve)?;
    let scalar = BigNum::from_slice(scalar)?;
    let mut point = EcPoint::new(&group)?;
    point.mul_generator2(&group, &scalar, &mut *BigNumContext::new()?)?;
    let key = EcKey::from_private_components(&group, &scalar, &point)?;
    PKey::private_key_from_pkcs8(&PKey::from_ec_key(key)?.private_key_to_pkcs8()?)
}

/// The public key with that point, which is refused unless it is on the curve. These are the calls of
/// TLS in libssl; the crate has only `EcPoint` and `EcKey`, with the conversion described above: 67 µs
/// instead of 57 for an agreement on P-256.
#[inline]
fn parsed<C: Named>(point: &[u8]) -> Result<PKey<Public>, Failure> {
    let parameters = parameters::<C>()?;
    // SAFETY: makes a new key or returns null.
    let key = unsafe { ffi::EVP_PKEY_new() };
    if key.is_null() {
        return Err(Failure::library("EVP_PKEY_new")(ErrorStack::get()));
    }
    // SAFETY: the key is ours alone, and freed with this.
    let key = unsafe { PKey::<Public>::from_ptr(key) };
    // SAFETY: both keys are alive, the new one is ours alone, the other is only read.
    let copied = unsafe { ffi::EVP_PKEY_copy_parameters(key.as_ptr(), parameters.as_ptr()) };
    succeeded(copied).map_err(Failure::library("EVP_PKEY_copy_parameters"))?;
    // SAFETY: the key is alive and ours alone, the name ends with a zero, `point.len()` bytes are read.
    let set = unsafe {
        ffi::EVP_PKEY_set_octet_string_param(
            key.as_ptr(),
            ENCODED_PUBLIC_KEY.as_ptr(),
            point.as_ptr(),
            point.len(),
        )
    };
    succeeded(set).map_err(|_| Failure::Refused)?;
    Ok(key)
}
