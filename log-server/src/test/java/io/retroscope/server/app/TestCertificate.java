// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A self-signed certificate for 127.0.0.1 and its key, as PEM files. The JDK makes one only with
 * keytool, a process of half a second.
 *
 * @param certificate also the authority that clients must trust
 */
public record TestCertificate(Path certificate, Path key) {
  private static final Duration VALIDITY = Duration.ofDays(30);
  private static final DateTimeFormatter UTC_TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  /** Version 3 and serial number 1. */
  private static final byte[] NUMBERS = hex("a003020102 020101");

  private static final byte[] ECDSA_WITH_SHA256 = hex("300a 06082a8648ce3d040302");
  private static final byte[] COMMON_NAME = hex("0603550403");

  /** An authority, for 127.0.0.1 and localhost. */
  private static final byte[] EXTENSIONS =
      hex(
          "a32f 302d"
              + "300f 0603551d13 0101ff 0405 3003 0101ff"
              + "301a 0603551d11 0413 3011 87047f000001 82096c6f63616c686f7374");

  /** The tags of DER. */
  private enum Tag {
    BIT_STRING(0x03),
    UTF8_STRING(0x0c),
    UTC_TIME(0x17),
    SEQUENCE(0x30),
    SET(0x31);

    private final int code;

    Tag(int code) {
      this.code = code;
    }
  }

  /** Creates one that is valid. */
  public static TestCertificate make(Path folder, String name)
      throws IOException, GeneralSecurityException {
    return make(folder, name, Instant.now().minusSeconds(1));
  }

  /** Creates one that was valid until ten days ago. */
  public static TestCertificate expired(Path folder, String name)
      throws IOException, GeneralSecurityException {
    return make(folder, name, Instant.now().minus(VALIDITY).minus(Duration.ofDays(10)));
  }

  private static TestCertificate make(Path folder, String name, Instant begin)
      throws IOException, GeneralSecurityException {
    KeyPairGenerator keys = KeyPairGenerator.getInstance("EC");
    keys.initialize(256);
    KeyPair pair = keys.generateKeyPair();
    return new TestCertificate(
        write(folder.resolve(name + ".pem"), "CERTIFICATE", selfSigned(name, begin, pair)),
        write(folder.resolve(name + "-key.pem"), "PRIVATE KEY", pair.getPrivate().getEncoded()));
  }

  /** As RFC 5280 has it. */
  private static byte[] selfSigned(String name, Instant begin, KeyPair pair)
      throws GeneralSecurityException {
    byte[] subject =
        der(
            Tag.SEQUENCE,
            der(Tag.SET, der(Tag.SEQUENCE, COMMON_NAME, text(Tag.UTF8_STRING, name))));
    byte[] validity = der(Tag.SEQUENCE, time(begin), time(begin.plus(VALIDITY)));
    byte[] content =
        der(
            Tag.SEQUENCE,
            NUMBERS,
            ECDSA_WITH_SHA256,
            subject,
            validity,
            subject,
            pair.getPublic().getEncoded(),
            EXTENSIONS);
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(pair.getPrivate());
    signature.update(content);
    byte[] noUnusedBits = {0};
    return der(
        Tag.SEQUENCE,
        content,
        ECDSA_WITH_SHA256,
        der(Tag.BIT_STRING, noUnusedBits, signature.sign()));
  }

  private static byte[] time(Instant time) {
    return text(Tag.UTC_TIME, UTC_TIME.format(time));
  }

  private static byte[] text(Tag tag, String text) {
    return der(tag, text.getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] der(Tag tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream der = new ByteArrayOutputStream();
    der.write(tag.code);
    int length = content.size();
    if (length >= 0x100) {
      der.write(0x82);
      der.write(length >> 8);
    } else if (length >= 0x80) {
      der.write(0x81);
    }
    der.write(length);
    der.writeBytes(content.toByteArray());
    return der.toByteArray();
  }

  private static byte[] hex(String bytes) {
    return HexFormat.of().parseHex(bytes.replace(" ", ""));
  }

  private static Path write(Path file, String kind, byte[] der) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, text, kind));
  }

  /** Puts this certificate into the files of another. */
  public void replace(TestCertificate other) throws IOException {
    Files.write(other.certificate, Files.readAllBytes(certificate));
    Files.write(other.key, Files.readAllBytes(key));
  }
}
