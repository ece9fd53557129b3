// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The PEM files of a server's TLS.
 *
 * @param certificate its certificate, followed by those of the intermediate authorities
 * @param key its private key, PKCS #8 without a passphrase
 * @param clientAuthorities the authorities of clients' certificates; if present, clients must have
 *     a certificate
 */
public record TlsFiles(Path certificate, Path key, Optional<Path> clientAuthorities) {}
