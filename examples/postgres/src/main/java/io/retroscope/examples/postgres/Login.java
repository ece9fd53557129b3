// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * A random password of the only user, which may run commands on this machine: other users of it
 * must not log in. Immutable.
 *
 * @param file has the password for PostgreSQL's programs and for its driver; only its owner reads
 *     it
 */
record Login(String password, Path file) {
  static final String USER = "postgres";

  private static final int PASSWORD_BYTES = 16;

  /** A new password, in a file in this folder that belongs to PostgreSQL's programs. */
  static Login create(Path folder) throws IOException {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    String password = HexFormat.of().formatHex(random);
    Path file = write(folder.resolve("pgpass"), "127.0.0.1:*:*:" + USER + ":" + password);
    return new Login(password, file);
  }

  /** A file that has nothing but the password, as initdb wants it. */
  Path alone() throws IOException {
    return write(file.resolveSibling("password"), password);
  }

  private static Path write(Path file, String line) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, line + "\n", StandardCharsets.US_ASCII);
    PostgresPrograms.giveAway(file);
    return file;
  }

  /** The setting of a connection with which PostgreSQL's programs find the password. */
  String passfile() {
    return "passfile='%s'".formatted(file.toString().replaceAll("['\\\\]", "\\\\$0"));
  }

  /** The argument of a virtual machine with which the driver finds the password. */
  String jvmArg() {
    return "-Dorg.postgresql.pgpassfile=" + file;
  }

  @Override
  public String toString() {
    return "the login of " + USER; // Without the password.
  }
}
