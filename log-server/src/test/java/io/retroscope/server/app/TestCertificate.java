// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * A self-signed certificate for 127.0.0.1 and its key, as PEM files.
 *
 * @param certificate also the authority that clients must trust
 */
public record TestCertificate(Path certificate, Path key) {
  private static final char[] PASSWORD = "changeit".toCharArray();

  /** Creates one with the JDK's own tool. */
  public static TestCertificate make(Path folder, String name)
      throws IOException, InterruptedException, GeneralSecurityException {
    return make(folder, name, "-validity 30");
  }

  /** Creates one that was valid until ten days ago. */
  public static TestCertificate expired(Path folder, String name)
      throws IOException, InterruptedException, GeneralSecurityException {
    return make(folder, name, "-startdate -40d -validity 30");
  }

  private static TestCertificate make(Path folder, String name, String validity)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(name + ".p12");
    Process tool =
        new ProcessBuilder(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC",
                        "-genkeypair -alias own -keyalg EC -storetype PKCS12 " + validity,
                        "-dname CN=" + name,
                        "-ext san=ip:127.0.0.1,dns:localhost -ext bc:c",
                        "-storepass changeit -keystore " + store)
                    .stream()
                    .flatMap(words -> Arrays.stream(words.split(" ")))
                    .toList())
            .redirectErrorStream(true)
            .start();
    String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (tool.waitFor() != 0) {
      throw new IOException("keytool failed: " + output);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    return new TestCertificate(
        write(
            folder.resolve(name + ".pem"), "CERTIFICATE", keys.getCertificate("own").getEncoded()),
        write(
            folder.resolve(name + "-key.pem"),
            "PRIVATE KEY",
            keys.getKey("own", PASSWORD).getEncoded()));
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
