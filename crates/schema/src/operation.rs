//! What is done with an algorithm, and what exactly each name times. METHODOLOGY.md prints this table.

use crate::{Algorithm, Contest, Family, ParseError};
use std::{fmt, str::FromStr};

/// One thing done with an algorithm. When the meaning of an operation changes, its name changes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "`timed` and `untimed` say what each one is")]
pub enum Operation {
    Encrypt,
    Decrypt,
    Seal,
    Open,
    Reject,
    KeySetup,
    SealFreshKey,
    Keygen,
    Sign,
    Verify,
    Derive,
    Ephemeral,
    EncryptPieces,
    DecryptPieces,
    KeygenSeeded,
    Whole,
    Fields,
    FieldsFreshKey,
    WholeFile,
    FieldsFile,
    FieldsFreshKeyFile,
    Empty,
    Copy,
    Nonce,
    Random,
}

impl Operation {
    /// Every operation, in the order of tables.
    pub const ALL: [Self; 25] = [
        Self::Encrypt,
        Self::Decrypt,
        Self::Seal,
        Self::Open,
        Self::Reject,
        Self::KeySetup,
        Self::SealFreshKey,
        Self::Keygen,
        Self::Sign,
        Self::Verify,
        Self::Derive,
        Self::Ephemeral,
        Self::EncryptPieces,
        Self::DecryptPieces,
        Self::KeygenSeeded,
        Self::Whole,
        Self::Fields,
        Self::FieldsFreshKey,
        Self::WholeFile,
        Self::FieldsFile,
        Self::FieldsFreshKeyFile,
        Self::Empty,
        Self::Copy,
        Self::Nonce,
        Self::Random,
    ];

    /// The name, the second part of every case id.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Encrypt => "encrypt",
            Self::Decrypt => "decrypt",
            Self::Seal => "seal",
            Self::Open => "open",
            Self::Reject => "reject",
            Self::KeySetup => "key-setup",
            Self::SealFreshKey => "seal-fresh-key",
            Self::Keygen => "keygen",
            Self::Sign => "sign",
            Self::Verify => "verify",
            Self::Derive => "derive",
            Self::Ephemeral => "ephemeral",
            Self::EncryptPieces => "encrypt-pieces",
            Self::DecryptPieces => "decrypt-pieces",
            Self::KeygenSeeded => "keygen-seeded",
            Self::Whole => "whole",
            Self::Fields => "fields",
            Self::FieldsFreshKey => "fields-fresh-key",
            Self::WholeFile => "whole-file",
            Self::FieldsFile => "fields-file",
            Self::FieldsFreshKeyFile => "fields-fresh-key-file",
            Self::Empty => "empty",
            Self::Copy => "copy",
            Self::Nonce => "nonce",
            Self::Random => "random",
        }
    }

    /// What is inside the timed region.
    #[must_use]
    pub const fn timed(self) -> &'static str {
        match self {
            Self::Encrypt => {
                "one whole message in place with a new IV (counted up), the padding included where the mode has it (CBC: PKCS#7)"
            }
            Self::Decrypt => {
                "one whole ciphertext in place, IV included, padding checked and removed (CBC)"
            }
            Self::Seal => {
                "one message encrypted in place under a new nonce (counted up) with 13 bytes of AAD, its 16-byte tag written to a separate buffer"
            }
            Self::Open => {
                "one sealed message decrypted in place and its tag checked, `Ok` asserted"
            }
            Self::Reject => "`open` of a message with one bit of its tag flipped, `Err` asserted",
            Self::KeySetup => "from raw key bytes to a key ready to seal, and its drop",
            Self::SealFreshKey => "key set-up, one `seal`, drop: a message under a new key",
            Self::Keygen => {
                "one key pair from the library's usual random source, the public key's bytes included"
            }
            Self::Sign => "one signature over a 32-byte message, SHA-256 included",
            Self::Verify => {
                "one signature checked, the public key parsed from PKCS#1 DER, SHA-256 included"
            }
            Self::Derive => {
                "the peer's public key parsed from bytes and checked, the shared secret out"
            }
            Self::Ephemeral => {
                "key pair generated, its public key's bytes out, the peer's bytes parsed and checked, the shared secret out: one side of a handshake"
            }
            Self::EncryptPieces => {
                "one message of 32 MiB through one streaming encryptor, from one buffer to another in pieces of the size, IV, padding (CBC: PKCS#7) and tag (GCM, no AAD) included"
            }
            Self::DecryptPieces => {
                "the same message back through one streaming decryptor, padding or tag checked"
            }
            Self::KeygenSeeded => {
                "one key pair, the public key's bytes included, from a random source that gives every backend the same bytes, drawn for each slice"
            }
            Self::Whole => {
                "a document in memory encrypted as a whole to a second buffer: CBC as one stream in pieces of 64 KiB, GCM in segments of 64 KiB (the STREAM construction)"
            }
            Self::Fields => {
                "a document in memory parsed and written to a second buffer, the content of each chosen element encrypted under a new IV or nonce and put back as base64"
            }
            Self::FieldsFreshKey => "`fields`, the key made ready anew for each field",
            Self::WholeFile => {
                "`whole`, read from one file and written to another, emptied before; the system's cache between, no sync"
            }
            Self::FieldsFile => "`fields`, from file to file as in `whole-file`",
            Self::FieldsFreshKeyFile => "`fields-fresh-key`, from file to file as in `whole-file`",
            Self::Empty => "a call that does nothing: the loop of the harness",
            Self::Copy => "a copy of the message into another buffer",
            Self::Nonce => "the harness counting its nonce up",
            Self::Random => "bytes from the operating system's random source",
        }
    }

    /// What happens outside the timed region.
    #[must_use]
    pub const fn untimed(self) -> &'static str {
        match self {
            Self::Encrypt | Self::Seal => "key set-up, buffers",
            Self::Decrypt => "key set-up, encrypting, putting the ciphertext back",
            Self::Open | Self::Reject => "key set-up, sealing, putting the ciphertext back",
            Self::KeySetup | Self::SealFreshKey => "the key bytes, buffers",
            Self::Keygen | Self::Ephemeral => "nothing of the library's",
            Self::KeygenSeeded => "beginning the random source",
            Self::EncryptPieces => "key set-up where the library can keep a key, buffers",
            Self::DecryptPieces => {
                "key set-up where the library can keep a key, encrypting, buffers"
            }
            Self::Whole | Self::Fields => "key set-up, making the document, buffers",
            Self::FieldsFreshKey => "the key bytes, making the document, buffers",
            Self::WholeFile | Self::FieldsFile | Self::FieldsFreshKeyFile => {
                "as without files, and opening the files"
            }
            Self::Sign => "parsing the private key",
            Self::Verify => "signing",
            Self::Derive => "parsing one's own private key and making it ready",
            Self::Empty | Self::Copy | Self::Nonce | Self::Random => "buffers",
        }
    }

    /// Whether the operation is there for a scenario alone: see [`Scenario`](crate::Scenario).
    #[must_use]
    pub const fn is_of_scenario(self) -> bool {
        matches!(
            self,
            Self::EncryptPieces
                | Self::DecryptPieces
                | Self::KeygenSeeded
                | Self::Whole
                | Self::Fields
                | Self::FieldsFreshKey
                | Self::WholeFile
                | Self::FieldsFile
                | Self::FieldsFreshKeyFile
        )
    }

    /// Whether the operation encrypts a document.
    #[must_use]
    pub const fn is_of_document(self) -> bool {
        matches!(
            self,
            Self::Whole
                | Self::Fields
                | Self::FieldsFreshKey
                | Self::WholeFile
                | Self::FieldsFile
                | Self::FieldsFreshKeyFile
        )
    }

    /// Whether the operation encrypts a document from one file to another.
    #[must_use]
    pub const fn is_from_file_to_file(self) -> bool {
        matches!(self, Self::WholeFile | Self::FieldsFile | Self::FieldsFreshKeyFile)
    }

    /// The families that have the operation.
    pub fn families(self) -> impl Iterator<Item = Family> {
        Family::ALL.into_iter().filter(move |&family| {
            Algorithm::all().any(|algorithm| {
                algorithm.operations().contains(&self)
                    && Contest { algorithm, operation: self, size: None }.family() == family
            })
        })
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Operation {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.name() == text)
            .ok_or_else(|| ParseError::Operation(text.to_owned()))
    }
}
