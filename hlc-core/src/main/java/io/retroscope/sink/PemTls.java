// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS from PEM files, as certificate authorities hand them out, for clients and servers.
 * Thread-safe; reads the files at each call.
 */
public final class PemTls {
  private static final Pattern PKCS8 =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "EdDSA");
  private static final long MAX_FILE_BYTES = 1 << 20;

  private PemTls() {}

  /**
   * A context with the peers that are trusted and the certificate that is shown.
   *
   * @param authorities the certificates that the peer's must be signed by; null for those that the
   *     JVM trusts
   * @param certificate the own certificate, then those of intermediate authorities; null for none
   * @param key its private key, PKCS #8 without a passphrase; null if there is no certificate
   * @throws IllegalArgumentException if a file cannot be read or used; the message names it and
   *     says what to do, and holds nothing of a key
   */
  public static SSLContext context(
      @Nullable Path authorities, @Nullable Path certificate, @Nullable Path key) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      KeyManagerFactory keys = null;
      if (certificate != null && key != null) {
        keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(identity(certificate, key), new char[0]);
      }
      TrustManagerFactory trust = null;
      if (authorities != null) {
        trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted(authorities));
      }
      context.init(
          keys == null ? null : keys.getKeyManagers(),
          trust == null ? null : trust.getTrustManagers(),
          null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    }
  }

  private static KeyStore identity(Path certificate, Path key)
      throws GeneralSecurityException, IOException {
    Certificate[] chain = certificates(certificate).toArray(new Certificate[0]);
    PrivateKey secret = privateKey(key);
    String algorithm = chain[0].getPublicKey().getAlgorithm();
    if (!secret.getAlgorithm().equals(algorithm) || !belong(secret, chain[0].getPublicKey())) {
      throw new IOException(key + " is not the key of the certificate in " + certificate);
    }
    KeyStore store = empty();
    store.setKeyEntry("own", secret, new char[0], chain);
    return store;
  }

  /** Found out by a signature: while both files are being replaced, they may not fit together. */
  private static boolean belong(PrivateKey secret, PublicKey known)
      throws GeneralSecurityException {
    String scheme =
        switch (secret.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> secret.getAlgorithm();
        };
    byte[] message = scheme.getBytes(StandardCharsets.US_ASCII);
    Signature signature = Signature.getInstance(scheme);
    signature.initSign(secret);
    signature.update(message);
    byte[] signed = signature.sign();
    signature.initVerify(known);
    signature.update(message);
    try {
      return signature.verify(signed);
    } catch (SignatureException e) {
      return false;
    }
  }

  private static KeyStore trusted(Path authorities) throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    int number = 0;
    for (Certificate authority : certificates(authorities)) {
      store.setCertificateEntry("authority" + number++, authority);
    }
    return store;
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(Path file) throws IOException {
    try {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(read(file)));
      if (found.isEmpty()) {
        throw new IOException("there is no certificate in " + file);
      }
      return found;
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "the certificates in %s cannot be read; they must be PEM".formatted(file), e);
    }
  }

  private static PrivateKey privateKey(Path file) throws GeneralSecurityException, IOException {
    Matcher pem = PKCS8.matcher(new String(read(file), StandardCharsets.US_ASCII));
    if (!pem.find()) {
      throw new IOException(
          ("there is no private key in %s that can be read: convert it with"
                  + " openssl pkcs8 -topk8 -nocrypt -in %s -out NEW.pem")
              .formatted(file, file));
    }
    byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
    for (String candidate : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(candidate).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (InvalidKeySpecException e) {
        // Of another algorithm.
      }
    }
    throw new IOException("the private key in " + file + " is neither EC, RSA nor EdDSA");
  }

  private static byte[] read(Path file) throws IOException {
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw new IOException(file + " is larger than " + MAX_FILE_BYTES + " bytes");
      }
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new IOException("there is no file " + file, e);
    }
  }
}
