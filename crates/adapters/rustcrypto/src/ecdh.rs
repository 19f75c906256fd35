//! Diffie-Hellman on the NIST curves by `elliptic-curve`'s types, the same for each curve's crate.
//! Public keys go out as uncompressed points; a peer's is checked to be on the curve when it is parsed.

use cryptobench_harness::{
    Failure, copy_exact,
    operations::ecdh::{EphemeralKey, StaticKey},
};
use p256::elliptic_curve::{
    AffinePoint, CurveArithmetic, FieldBytesSize, Generate, PublicKey, SecretKey,
    ecdh::EphemeralSecret,
    sec1::{FromSec1Point, ModulusSize, ToSec1Point},
};

/// A curve with everything that the operations need.
pub(crate) trait NistCurve:
    CurveArithmetic<
        AffinePoint: FromSec1Point<Self> + ToSec1Point<Self>,
        FieldBytesSize: ModulusSize,
    > + 'static
{
}

impl<C> NistCurve for C
where
    C: CurveArithmetic + 'static,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
    FieldBytesSize<C>: ModulusSize,
{
}

#[inline]
fn parsed<C: NistCurve>(peer: &[u8]) -> Result<PublicKey<C>, Failure> {
    PublicKey::from_sec1_bytes(peer).map_err(|_| Failure::Refused)
}

/// A key pair for one agreement.
pub(crate) struct Ephemeral<C: NistCurve>(EphemeralSecret<C>);

impl<C: NistCurve> EphemeralKey for Ephemeral<C> {
    #[inline]
    fn generate() -> Result<Self, Failure> {
        EphemeralSecret::try_generate()
            .map(Self)
            .map_err(Failure::library("EphemeralSecret::try_generate"))
    }

    #[inline]
    fn public_key(&self, out: &mut [u8]) -> Result<(), Failure> {
        copy_exact(out, self.0.public_key().to_sec1_point(false).as_bytes())
    }

    #[inline]
    fn agree(self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        copy_exact(secret, self.0.diffie_hellman(&parsed(peer)?).raw_secret_bytes())
    }
}

/// A private key for many agreements.
pub(crate) struct Static<C: NistCurve>(SecretKey<C>);

impl<C: NistCurve> StaticKey for Static<C> {
    fn new(scalar: &[u8]) -> Result<Self, Failure> {
        SecretKey::from_slice(scalar).map(Self).map_err(Failure::library("SecretKey::from_slice"))
    }

    #[inline]
    fn agree(&mut self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        copy_exact(secret, self.0.diffie_hellman(&parsed(peer)?).raw_secret_bytes())
    }
}
