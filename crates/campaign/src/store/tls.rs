//! TLS to a shared store, verified as `sslmode` requires: whatever PostgreSQL's own tools accept is accepted here.

use super::address::{Protection, SslMode};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use std::path::Path;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Verifies certificates for one `sslmode`.
#[derive(Debug)]
struct Verifier {
    /// None: any certificate is accepted.
    roots: Option<RootCertStore>,
    /// The certificates of the file themselves, since a server may use a root directly.
    given: Vec<CertificateDer<'static>>,
    /// Whether the certificate must be issued for the host.
    name: bool,
    provider: Arc<CryptoProvider>,
}

/// The TLS connector for an address.
pub fn connector(protection: &Protection) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(ring::default_provider());
    let given = match (&protection.roots, protection.mode) {
        (Some(path), _) => certificates(path)?,
        (None, SslMode::VerifyCa | SslMode::VerifyFull) => {
            return Err(
                "sslmode asks to verify the server, and sslrootcert names no file; \
                sslrootcert=system takes the certificates of this machine"
                    .to_string(),
            );
        }
        (None, SslMode::Disable | SslMode::Prefer | SslMode::Require) => Vec::new(),
    };
    // As in libpq: with a root certificate `require` verifies, and `prefer` does not.
    let verified = match protection.mode {
        SslMode::Disable | SslMode::Prefer => false,
        SslMode::Require => protection.roots.is_some(),
        SslMode::VerifyCa | SslMode::VerifyFull => true,
    };
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(given.iter().cloned());
    let verifier = Verifier {
        roots: verified.then_some(roots),
        given,
        name: protection.mode == SslMode::VerifyFull,
        provider: Arc::clone(&provider),
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let config = match (&protection.certificate, &protection.key) {
        (Some(certificate), Some(key)) => {
            let key = PrivateKeyDer::from_pem_file(key)
                .map_err(|error| format!("{}: {error}", key.display()))?;
            config
                .with_client_auth_cert(certificates(certificate)?, key)
                .map_err(|error| error.to_string())?
        }
        (None, None) => config.with_no_client_auth(),
        _ => return Err("sslcert and sslkey must be given together".to_string()),
    };
    Ok(MakeRustlsConnect::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    if path == Path::new("system") {
        return Ok(rustls_native_certs::load_native_certs().certs);
    }
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let found = CertificateDer::pem_file_iter(path).map_err(|error| failed(&error))?;
    let found: Result<Vec<_>, _> = found.collect();
    let found = found.map_err(|error| failed(&error))?;
    match found.is_empty() {
        true => Err(failed(&"contains no certificate")),
        false => Ok(found),
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(roots) = &self.roots else {
            return Ok(ServerCertVerified::assertion());
        };
        if roots.is_empty() {
            return Err(Error::InvalidCertificate(CertificateError::UnknownIssuer));
        }
        let certificate = ParsedCertificate::try_from(end_entity)?;
        if !self.given.iter().any(|given| given == end_entity) {
            let algorithms = self.provider.signature_verification_algorithms.all;
            verify_server_cert_signed_by_trust_anchor(
                &certificate,
                roots,
                intermediates,
                now,
                algorithms,
            )?;
        }
        if self.name {
            verify_server_name(&certificate, server_name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn protection(mode: SslMode, roots: Option<&Path>) -> Protection {
        Protection {
            mode,
            roots: roots.map(Path::to_path_buf),
            certificate: None,
            key: None,
        }
    }

    #[test]
    fn what_cannot_be_verified_is_refused_before_anything_is_sent() {
        let scratch = Scratch::new();
        let empty = scratch.path().join("empty.pem");
        std::fs::write(&empty, "nothing").unwrap();
        for mode in [SslMode::VerifyCa, SslMode::VerifyFull] {
            assert!(connector(&protection(mode, None)).is_err());
            assert!(connector(&protection(mode, Some(&empty))).is_err());
        }
        assert!(connector(&protection(SslMode::Require, None)).is_ok());
        assert!(connector(&protection(SslMode::Prefer, None)).is_ok());
    }

    #[test]
    fn a_certificate_without_its_key_is_refused() {
        let mut half = protection(SslMode::Require, None);
        half.certificate = Some("client.crt".into());
        assert!(connector(&half).is_err());
    }
}
