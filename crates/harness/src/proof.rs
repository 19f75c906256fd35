//! Nothing is timed before it is proved: in every process that times, every backend of a selected
//! contest is held against the others at the size to be measured.

use crate::{
    Failure, Implementation, Suite,
    operations::{Proved, aead, block_mode, control, document, ecdh, pieces, rsa, without_digest},
    stored::Digest,
};
use cryptobench_schema::{Algorithm, BackendId, Contest, Operation};
use std::{
    any::Any,
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Runs `f`, turning a panic of a library into a failure.
///
/// # Errors
///
/// Those of `f`, or the panic's message.
pub fn guarded<T>(f: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(f))
        .unwrap_or_else(|panic| Err(Failure::Panicked(panic_message(panic.as_ref()))))
}

/// What a panic that was caught had to say.
#[must_use]
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|message| (*message).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a message".to_owned())
}

/// Proves the backends in `selected` for `contest`. All compiled-in backends that can do it are
/// witnesses, so that a backend selected alone is still held against the others; but only the selected
/// ones are reported, each with the digest of what it computed for the fixed inputs, where that is not random.
#[must_use]
pub fn prove(
    suite: &Suite,
    contest: &Contest,
    selected: &[BackendId],
) -> Vec<(BackendId, Result<Option<Digest>, Failure>)> {
    let mut results: Vec<(BackendId, Proved)> = Vec::new();
    let mut able: Vec<(&BackendId, &Implementation)> = Vec::new();
    for backend in suite.backends() {
        let Some(registration) = backend.registration(contest) else {
            continue;
        };
        match backend.ready() {
            Ok(()) => able.push((backend.id(), registration.implementation())),
            Err(failure) => results.push((backend.id().clone(), Err(failure))),
        }
    }
    let implementations: Vec<&Implementation> = able.iter().map(|(_, it)| *it).collect();
    let proofs = prove_all(suite, contest, &implementations);
    results.extend(able.iter().map(|(id, _)| (*id).clone()).zip(proofs));
    results.retain(|(id, _)| selected.contains(id));
    results
}

/// The contest whose proof is that of `contest` too: documents are encrypted in memory as they are from file to file,
/// and messages that come back in pieces went there in pieces. Where a process proves one, it has proved the other.
#[must_use]
pub const fn proved_with(contest: &Contest) -> Contest {
    let operation = match contest.operation {
        Operation::WholeFile => Operation::Whole,
        Operation::FieldsFreshKey | Operation::FieldsFile | Operation::FieldsFreshKeyFile => {
            Operation::Fields
        }
        Operation::DecryptPieces => Operation::EncryptPieces,
        other => other,
    };
    Contest { operation, ..*contest }
}

/// The implementations of one kind among `all`. Every implementation of a contest is of one kind, as the
/// registration methods see to.
macro_rules! of_kind {
    ($all:expr, $kind:ident) => {
        $all.iter()
            .filter_map(|it| match it {
                Implementation::$kind(it) => Some(it),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
}

/// Bytes of the message with which key set-up is proved: four blocks.
const KEY_SETUP_MESSAGE: usize = 64;

/// The message of the proof of `contest`, in bytes: key set-up alone has none, and is proved with one.
fn message_len(contest: &Contest) -> usize {
    contest.size.map_or(KEY_SETUP_MESSAGE, |size| usize::try_from(size).unwrap_or(usize::MAX))
}

/// The implementations in `suite` that can do `contest`, of libraries that initialise.
fn able<'a>(suite: &'a Suite, contest: &Contest) -> Vec<&'a Implementation> {
    suite
        .backends()
        .iter()
        .filter(|backend| backend.ready().is_ok())
        .filter_map(|backend| Some(backend.registration(contest)?.implementation()))
        .collect()
}

/// What the proof of `contest` is called among the stored outputs, where there is one: proofs of several
/// operations are the same.
pub(crate) fn stored_name(contest: &Contest) -> Option<String> {
    let algorithm = contest.algorithm;
    match algorithm {
        // Held against what is stored by witnesses that take the same message as a whole.
        _ if contest.operation.is_of_scenario() => None,
        Algorithm::BlockMode(_) | Algorithm::Aead(_) => {
            Some(format!("{algorithm}/{}", message_len(contest)))
        }
        Algorithm::Ecdh(_) if contest.operation == Operation::Derive => Some(algorithm.to_string()),
        _ => None,
    }
}

/// The lines of `fixtures/outputs.sha256`, made anew: for each proof that has a stored output the digest on
/// which all implementations in `suite` agree.
///
/// # Errors
///
/// A failure of one of them, or the proof on which there is no agreement of at least two.
pub fn outputs_to_store(suite: &Suite) -> Result<String, Failure> {
    let mut digests: BTreeMap<String, Digest> = BTreeMap::new();
    for contest in crate::every_contest() {
        let Some(name) = stored_name(&contest) else { continue };
        if digests.contains_key(&name) {
            continue;
        }
        let all = able(suite, &contest);
        let bytes = message_len(&contest);
        let outputs = match contest.algorithm {
            Algorithm::BlockMode(mode) => {
                block_mode::outputs(mode, bytes, &of_kind!(all, BlockMode))
            }
            Algorithm::Aead(aead) => aead::outputs(aead, bytes, &of_kind!(all, Aead)),
            Algorithm::Ecdh(curve) => ecdh::static_outputs(curve, &of_kind!(all, Static)),
            _ => continue,
        };
        let outputs: Vec<Vec<u8>> = outputs.into_iter().collect::<Result<_, _>>()?;
        match outputs.as_slice() {
            [first, others @ ..] if !others.is_empty() && others.iter().all(|it| it == first) => {
                digests.insert(name, Digest::of(first));
            }
            _ => return Err(Failure::wrong(format!("no agreement of two on {name}"))),
        }
    }
    Ok(digests.iter().map(|(name, digest)| format!("{digest} {name}\n")).collect())
}

/// One of them is witness enough where it takes long, and was itself held against the others.
fn first_of(mut all: Vec<&Implementation>) -> Vec<&Implementation> {
    all.truncate(1);
    all
}

const fn is_pieces(operation: Operation) -> bool {
    matches!(operation, Operation::EncryptPieces | Operation::DecryptPieces)
}

fn prove_all(suite: &Suite, contest: &Contest, all: &[&Implementation]) -> Vec<Proved> {
    let Contest { algorithm, operation, size } = *contest;
    let number = size.unwrap_or_default();
    let bytes = message_len(contest);
    // Implementations of another operation of the same algorithm and size, as witnesses.
    let others = |algorithm, operation, size| able(suite, &Contest { algorithm, operation, size });
    let stored = suite.stored_output(contest);
    if matches!(operation, Operation::Whole | Operation::WholeFile) {
        return document::prove_whole(number, &of_kind!(all, Whole));
    }
    if operation.is_of_document() {
        return document::prove_fields(number, &of_kind!(all, Fields));
    }
    match algorithm {
        Algorithm::BlockMode(mode) if is_pieces(operation) => {
            let whole = first_of(others(algorithm, Operation::Encrypt, size));
            let witnesses = pieces::Witnesses::BlockMode(mode, of_kind!(whole, BlockMode));
            pieces::prove(bytes, &of_kind!(all, Stream), &witnesses)
        }
        Algorithm::Aead(aead) if is_pieces(operation) => {
            let whole = first_of(others(algorithm, Operation::Seal, size));
            let witnesses = pieces::Witnesses::Aead(aead, of_kind!(whole, Aead));
            pieces::prove(bytes, &of_kind!(all, Stream), &witnesses)
        }
        Algorithm::BlockMode(mode) => {
            block_mode::prove(mode, bytes, &of_kind!(all, BlockMode), stored)
        }
        Algorithm::Aead(aead) => aead::prove(aead, bytes, &of_kind!(all, Aead), stored),
        Algorithm::Rsa => {
            let scheme = Algorithm::RsaSignature(cryptobench_schema::RsaScheme::Pkcs1Sha256);
            let signers = others(scheme, Operation::Sign, size);
            let verifiers = others(scheme, Operation::Verify, size);
            let signers = of_kind!(signers, RsaSign);
            let verifiers = of_kind!(verifiers, RsaVerify);
            without_digest(if operation == Operation::KeygenSeeded {
                rsa::prove_seeded(number, &of_kind!(all, RsaSeeded), &signers, &verifiers)
            } else {
                rsa::prove_keygen(number, &of_kind!(all, RsaKeygen), &signers, &verifiers)
            })
        }
        Algorithm::RsaSignature(scheme) if operation == Operation::Sign => {
            let verifiers = others(algorithm, Operation::Verify, size);
            let signers = of_kind!(all, RsaSign);
            rsa::prove_sign(scheme, number, &signers, &of_kind!(verifiers, RsaVerify))
        }
        Algorithm::RsaSignature(scheme) => {
            without_digest(rsa::prove_verify(scheme, number, &of_kind!(all, RsaVerify)))
        }
        Algorithm::Ecdh(curve) if operation == Operation::Derive => {
            ecdh::prove_static(curve, &of_kind!(all, Static), stored)
        }
        Algorithm::Ecdh(curve) => {
            let witnesses = others(algorithm, Operation::Derive, size);
            without_digest(ecdh::prove_ephemeral(
                curve,
                &of_kind!(all, Ephemeral),
                &of_kind!(witnesses, Static),
            ))
        }
        Algorithm::Control => {
            without_digest(control::prove(operation, size.map(|_| bytes), &of_kind!(all, Control)))
        }
    }
}
