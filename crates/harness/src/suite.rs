//! What the compiled-in backends can do: the registrations of the adapters, and for everything they
//! cannot do, the reason.

use crate::{
    Failure, Timed,
    operations::{
        aead::{AeadImplementation, AeadKey},
        block_mode::{BlockModeImplementation, BlockModeKey},
        control::{ControlImplementation, Procedure},
        document::{FieldsImplementation, WholeImplementation, media},
        ecdh::{EphemeralImplementation, EphemeralKey, StaticImplementation, StaticKey},
        pieces::{StreamImplementation, StreamKey},
        rsa::{
            RsaKeyPair, RsaKeygenImplementation, RsaSeededImplementation, RsaSignImplementation,
            RsaSigner, RsaVerifier, RsaVerifyImplementation, SeededRsaKeyPair,
        },
    },
    proof::stored_name,
    stored::Digest,
};
use cryptobench_schema::{
    Aead, Algorithm, BackendId, BlockMode, Contest, Curve, Family, Operation, Provenance,
    RsaScheme, sizes,
};
use std::{borrow::Cow, ops::RangeInclusive};

/// The operations of [`WholeImplementation`].
const WHOLE: &[Operation] = &[Operation::Whole, Operation::WholeFile];
/// The operations of [`FieldsImplementation`].
const FIELDS: &[Operation] = &[
    Operation::Fields,
    Operation::FieldsFreshKey,
    Operation::FieldsFile,
    Operation::FieldsFreshKeyFile,
];

/// One implementation of one kind of operation, its type erased.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "each variant is the type it holds")]
pub enum Implementation {
    BlockMode(BlockModeImplementation),
    Aead(AeadImplementation),
    Stream(StreamImplementation),
    Whole(WholeImplementation),
    Fields(FieldsImplementation),
    RsaKeygen(RsaKeygenImplementation),
    RsaSeeded(RsaSeededImplementation),
    RsaSign(RsaSignImplementation),
    RsaVerify(RsaVerifyImplementation),
    Ephemeral(EphemeralImplementation),
    Static(StaticImplementation),
    Control(ControlImplementation),
}

/// Operations of one algorithm that a backend has.
#[derive(Debug)]
pub struct Registration {
    algorithm: Algorithm,
    operations: &'static [Operation],
    sizes: RangeInclusive<u64>,
    implementation: Implementation,
    note: Option<Cow<'static, str>>,
    /// Whether it takes longer than it does: see `planted.rs`.
    #[cfg(feature = "planted")]
    planted: bool,
}

impl Registration {
    /// Restricts it to sizes in `range`.
    pub fn sizes(&mut self, range: RangeInclusive<u64>) -> &mut Self {
        self.sizes = range;
        self
    }

    /// What a reader of its numbers should know: another interface of the library than usual, a build
    /// unlike the distribution's.
    pub fn note(&mut self, note: impl Into<Cow<'static, str>>) -> &mut Self {
        self.note = Some(note.into());
        self
    }

    /// The note, where there is one.
    #[must_use]
    pub fn its_note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The implementation.
    #[must_use]
    pub const fn implementation(&self) -> &Implementation {
        &self.implementation
    }

    fn covers(&self, contest: &Contest) -> bool {
        self.algorithm == contest.algorithm
            && self.operations.contains(&contest.operation)
            && contest.size.is_none_or(|size| self.sizes.contains(&size))
    }

    /// `contest` made ready to be timed.
    ///
    /// # Errors
    ///
    /// Whatever the library reports meanwhile.
    pub fn timed(&self, contest: &Contest) -> Result<Box<dyn Timed>, Failure> {
        let timed = self.as_it_is(contest)?;
        #[cfg(feature = "planted")]
        let timed = if self.planted {
            Box::new(crate::planted::Planted::new(timed, crate::planted::share()))
        } else {
            timed
        };
        Ok(timed)
    }

    fn as_it_is(&self, contest: &Contest) -> Result<Box<dyn Timed>, Failure> {
        let operation = contest.operation;
        let bits = contest.size.unwrap_or_default();
        let bytes = usize::try_from(bits)
            .map_err(|_| Failure::unsupported(format!("{bits} bytes do not fit the memory")))?;
        match (&self.implementation, contest.algorithm) {
            (Implementation::BlockMode(it), Algorithm::BlockMode(mode)) => {
                it.timed(mode, operation, bytes)
            }
            (Implementation::Aead(it), Algorithm::Aead(aead)) => it.timed(aead, operation, bytes),
            (Implementation::Whole(it), _) => it.timed(operation, bits),
            (Implementation::Fields(it), _) => it.timed(operation, bits),
            (Implementation::Stream(it), algorithm) => it.timed(algorithm, operation, bytes),
            (Implementation::RsaKeygen(it), Algorithm::Rsa) => Ok(it.timed(bits)),
            (Implementation::RsaSeeded(it), Algorithm::Rsa) => Ok(it.timed(bits)),
            (Implementation::RsaSign(it), _) => it.timed(bits),
            (Implementation::RsaVerify(it), Algorithm::RsaSignature(scheme)) => {
                it.timed(scheme, bits)
            }
            (Implementation::Ephemeral(it), Algorithm::Ecdh(curve)) => it.timed(curve, operation),
            (Implementation::Static(it), Algorithm::Ecdh(curve)) => it.timed(curve),
            (Implementation::Control(it), _) => Ok(it.timed(contest.size.map(|_| bytes))),
            (_, algorithm) => {
                Err(Failure::unsupported(format!("{algorithm} is registered as something else")))
            }
        }
    }
}

/// Why a backend does not have an operation.
#[derive(Debug)]
struct Refusal {
    scope: Scope,
    reason: Cow<'static, str>,
}

/// What a refusal is about, from the widest to the narrowest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Whatever is neither registered nor refused more narrowly.
    Otherwise,
    /// A whole family.
    Family(Family),
    /// An algorithm.
    Algorithm(Algorithm),
    /// One operation of an algorithm.
    Operation(Algorithm, Operation),
    /// Some sizes of one operation.
    Sizes(Algorithm, Operation, RangeInclusive<u64>),
}

impl Scope {
    fn covers(&self, contest: &Contest) -> bool {
        match self {
            Self::Otherwise => true,
            Self::Family(family) => contest.algorithm.family() == *family,
            Self::Algorithm(algorithm) => contest.algorithm == *algorithm,
            Self::Operation(algorithm, operation) => {
                contest.algorithm == *algorithm && contest.operation == *operation
            }
            Self::Sizes(algorithm, operation, range) => {
                contest.algorithm == *algorithm
                    && contest.operation == *operation
                    && contest.size.is_some_and(|size| range.contains(&size))
            }
        }
    }

    const fn width(&self) -> u8 {
        match self {
            Self::Sizes(..) => 0,
            Self::Operation(..) => 1,
            Self::Algorithm(_) => 2,
            Self::Family(_) => 3,
            Self::Otherwise => 4,
        }
    }
}

impl From<Family> for Scope {
    fn from(family: Family) -> Self {
        Self::Family(family)
    }
}

impl From<Algorithm> for Scope {
    fn from(algorithm: Algorithm) -> Self {
        Self::Algorithm(algorithm)
    }
}

impl From<BlockMode> for Scope {
    fn from(mode: BlockMode) -> Self {
        Self::Algorithm(mode.into())
    }
}

impl From<Aead> for Scope {
    fn from(aead: Aead) -> Self {
        Self::Algorithm(aead.into())
    }
}

impl From<Curve> for Scope {
    fn from(curve: Curve) -> Self {
        Self::Algorithm(curve.into())
    }
}

/// A cell of the matrix.
#[derive(Debug)]
pub enum Cell<'a> {
    /// The backend has it.
    Has(&'a Registration),
    /// It has it not, and this is why.
    Lacks(&'a str),
    /// Nobody said: a bug in the adapter, and a test finds it.
    Unexplained,
}

/// What an adapter crate exports: a backend and all that is known of it.
#[derive(Debug)]
pub struct Backend {
    id: BackendId,
    provenance: Provenance,
    initialise: fn() -> Result<(), Failure>,
    registrations: Vec<Registration>,
    refusals: Vec<Refusal>,
}

impl Backend {
    /// A backend that has nothing yet.
    #[must_use]
    pub fn new(id: &'static str, provenance: Provenance) -> Self {
        Self {
            id: BackendId::fixed(id),
            provenance,
            initialise: || Ok(()),
            registrations: Vec::new(),
            refusals: Vec::new(),
        }
    }

    /// What must succeed once before any operation of the library is called.
    pub fn initialise(&mut self, initialise: fn() -> Result<(), Failure>) {
        self.initialise = initialise;
    }

    /// The backend's name.
    #[must_use]
    pub const fn id(&self) -> &BackendId {
        &self.id
    }

    /// What the library says of itself.
    #[must_use]
    pub const fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Initialises the library.
    ///
    /// # Errors
    ///
    /// The library's, or its panic.
    pub fn ready(&self) -> Result<(), Failure> {
        crate::guarded(self.initialise)
    }

    /// Registers a block mode: `encrypt` and `decrypt`; with AES-256-CBC also what encrypts fields of documents.
    pub fn block_mode<K: BlockModeKey>(&mut self, mode: BlockMode) -> &mut Registration {
        if mode == BlockMode::Aes256Cbc {
            let fields = FieldsImplementation::block_mode::<K>(mode.into());
            self.register(mode, FIELDS, Implementation::Fields(fields));
        }
        let implementation = Implementation::BlockMode(BlockModeImplementation::of::<K>());
        self.register(mode, &[Operation::Encrypt, Operation::Decrypt], implementation)
    }

    /// Registers an AEAD: `seal`, `open`, `reject`, `key-setup`, `seal-fresh-key`; with AES-256-GCM also what encrypts
    /// documents and their fields.
    pub fn aead<K: AeadKey>(&mut self, aead: Aead) -> &mut Registration {
        if aead == Aead::Aes256Gcm {
            let fields = FieldsImplementation::aead::<K>(aead.into());
            self.register(aead, FIELDS, Implementation::Fields(fields));
            let whole = WholeImplementation::segments::<K>(aead.into());
            self.register(aead, WHOLE, Implementation::Whole(whole));
        }
        let operations = &[
            Operation::Seal,
            Operation::Open,
            Operation::Reject,
            Operation::KeySetup,
            Operation::SealFreshKey,
        ];
        self.register(aead, operations, Implementation::Aead(AeadImplementation::of::<K>()))
    }

    /// Registers a cipher that takes a message in pieces: `encrypt-pieces`, `decrypt-pieces`; with AES-256-CBC also what
    /// encrypts whole documents.
    pub fn stream<K: StreamKey>(&mut self, algorithm: impl Into<Algorithm>) -> &mut Registration {
        let algorithm = algorithm.into();
        if algorithm == BlockMode::Aes256Cbc.into() {
            let whole = WholeImplementation::stream::<K>(algorithm);
            self.register(algorithm, WHOLE, Implementation::Whole(whole));
        }
        let implementation = Implementation::Stream(StreamImplementation::of::<K>());
        let operations = &[Operation::EncryptPieces, Operation::DecryptPieces];
        self.register(algorithm, operations, implementation)
    }

    /// Registers RSA key generation.
    pub fn rsa_keygen<K: RsaKeyPair>(&mut self) -> &mut Registration {
        let implementation = Implementation::RsaKeygen(RsaKeygenImplementation::of::<K>());
        self.register(Algorithm::Rsa, &[Operation::Keygen], implementation)
    }

    /// Registers RSA key generation from a random source of the harness's.
    pub fn rsa_keygen_seeded<K: SeededRsaKeyPair>(&mut self) -> &mut Registration {
        let implementation = Implementation::RsaSeeded(RsaSeededImplementation::of::<K>());
        self.register(Algorithm::Rsa, &[Operation::KeygenSeeded], implementation)
    }

    /// Registers signing.
    pub fn rsa_sign<S: RsaSigner>(&mut self, scheme: RsaScheme) -> &mut Registration {
        let implementation = Implementation::RsaSign(RsaSignImplementation::of::<S>());
        self.register(scheme, &[Operation::Sign], implementation)
    }

    /// Registers verification.
    pub fn rsa_verify<V: RsaVerifier>(&mut self, scheme: RsaScheme) -> &mut Registration {
        let implementation = Implementation::RsaVerify(RsaVerifyImplementation::of::<V>());
        self.register(scheme, &[Operation::Verify], implementation)
    }

    /// Registers key pairs for one agreement: `keygen` and `ephemeral`.
    pub fn ephemeral<K: EphemeralKey>(&mut self, curve: Curve) -> &mut Registration {
        let implementation = Implementation::Ephemeral(EphemeralImplementation::of::<K>());
        self.register(curve, &[Operation::Keygen, Operation::Ephemeral], implementation)
    }

    /// Registers private keys for many agreements: `derive`.
    pub fn static_key<K: StaticKey>(&mut self, curve: Curve) -> &mut Registration {
        let implementation = Implementation::Static(StaticImplementation::of::<K>());
        self.register(curve, &[Operation::Derive], implementation)
    }

    /// Registers what the document operations cost without a cipher.
    pub fn plain_documents(&mut self) {
        let whole = Implementation::Whole(WholeImplementation::plain());
        self.register(Algorithm::Control, WHOLE, whole);
        let fields = Implementation::Fields(FieldsImplementation::plain());
        let operations = &[Operation::Fields, Operation::FieldsFile];
        self.register(Algorithm::Control, operations, fields);
    }

    /// Registers a control.
    pub fn control<P: Procedure>(&mut self, operation: &'static [Operation]) -> &mut Registration {
        let implementation = Implementation::Control(ControlImplementation::of::<P>());
        self.register(Algorithm::Control, operation, implementation)
    }

    fn register(
        &mut self,
        algorithm: impl Into<Algorithm>,
        operations: &'static [Operation],
        implementation: Implementation,
    ) -> &mut Registration {
        self.registrations.push(Registration {
            algorithm: algorithm.into(),
            operations,
            sizes: 0..=u64::MAX,
            implementation,
            note: None,
            #[cfg(feature = "planted")]
            planted: false,
        });
        self.registrations.last_mut().expect("one was just added")
    }

    /// Makes everything that is registered so far take longer, by the share that the environment says: see
    /// [`planted`](crate::planted).
    ///
    /// # Panics
    ///
    /// Where the environment says no share.
    #[cfg(feature = "planted")]
    pub fn planted(&mut self) {
        // Now, so that a share that is none ends the program before anything is measured.
        let _ = crate::planted::share();
        for registration in &mut self.registrations {
            registration.planted = true;
        }
    }

    /// Says why the backend does not have what `scope` covers.
    pub fn unsupported(&mut self, scope: impl Into<Scope>, reason: impl Into<Cow<'static, str>>) {
        self.refusals.push(Refusal { scope: scope.into(), reason: reason.into() });
        self.refusals.sort_by_key(|refusal| refusal.scope.width());
    }

    /// Whether the backend has `contest`, and why not.
    #[must_use]
    pub fn cell(&self, contest: &Contest) -> Cell<'_> {
        if let Some(has) = self.registrations.iter().find(|it| it.covers(contest)) {
            return Cell::Has(has);
        }
        self.refusals
            .iter()
            .find(|refusal| refusal.scope.covers(contest))
            .map_or(Cell::Unexplained, |refusal| Cell::Lacks(&refusal.reason))
    }

    /// The registration that covers `contest`.
    #[must_use]
    pub fn registration(&self, contest: &Contest) -> Option<&Registration> {
        match self.cell(contest) {
            Cell::Has(registration) => Some(registration),
            Cell::Lacks(_) | Cell::Unexplained => None,
        }
    }

    /// Whether the backend is the harness measuring itself.
    #[must_use]
    pub fn is_control(&self) -> bool {
        self.registrations.iter().any(|it| it.algorithm == Algorithm::Control)
    }

    /// Reasons that explain nothing, because everything they cover is registered or explained more
    /// narrowly: a claim about the library that is no longer true.
    #[must_use]
    pub fn idle_reasons(&self) -> Vec<&str> {
        let contests = every_contest();
        let lacking: Vec<&str> = contests
            .iter()
            .filter_map(|contest| match self.cell(contest) {
                Cell::Lacks(reason) => Some(reason),
                _ => None,
            })
            .collect();
        self.refusals
            .iter()
            .map(|refusal| refusal.reason.as_ref())
            .filter(|reason| !lacking.contains(reason))
            .collect()
    }
}

/// All backends of a program.
#[derive(Debug, Default)]
pub struct Suite {
    backends: Vec<Backend>,
    without_stored_outputs: bool,
}

impl Suite {
    /// No backends.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a backend.
    ///
    /// # Panics
    ///
    /// If there is one of that name: a bug in the program that puts the suite together.
    pub fn add(&mut self, backend: Backend) -> &mut Self {
        assert!(self.get(backend.id()).is_none(), "two backends are called {}", backend.id());
        self.backends.push(backend);
        self
    }

    /// Lets the stored outputs have no vote: for tests of the proof with implementations that only play an
    /// algorithm.
    pub fn forget_stored_outputs(&mut self) -> &mut Self {
        self.without_stored_outputs = true;
        self
    }

    /// The stored digest of what is computed in the proof of `contest`.
    pub(crate) fn stored_output(&self, contest: &Contest) -> Option<Digest> {
        if self.without_stored_outputs {
            return None;
        }
        Digest::stored(&stored_name(contest)?)
    }

    /// The backends, in the order of tables.
    #[must_use]
    pub fn backends(&self) -> &[Backend] {
        &self.backends
    }

    /// The backend of that name.
    #[must_use]
    pub fn get(&self, id: &BackendId) -> Option<&Backend> {
        self.backends.iter().find(|backend| backend.id() == id)
    }
}

/// Every contest that can be asked for in this process, at every size.
#[must_use]
pub fn every_contest() -> Vec<Contest> {
    let mut all = Vec::new();
    for algorithm in Algorithm::all() {
        for &operation in algorithm.operations() {
            match sizes(algorithm, operation) {
                None => all.push(Contest { algorithm, operation, size: None }),
                Some(sizes) => {
                    let (_, here) = media::sizes_here(operation, sizes);
                    all.extend(here.into_iter().map(|size| Contest {
                        algorithm,
                        operation,
                        size: Some(size),
                    }));
                }
            }
        }
    }
    all
}
