// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PostgresProgramsTest {
  @TempDir Path folder;

  @BeforeEach
  void letThemEnter() {
    assertThat(folder.toFile().setExecutable(true, false)).isTrue();
  }

  @Test
  void newestFirst_versions_areNumbers() {
    assertThat(PostgresPrograms.newestFirst(Stream.of("9.6", "18", "10", "13").map(Path::of)))
        .containsExactly(Path.of("18"), Path.of("13"), Path.of("10"), Path.of("9.6"));
  }

  @Test
  void firstRecent_olderBeforeIt_skipsThem() throws Exception {
    Path recent = programs("13.2 (Debian 13.2-1)");
    List<Path> installed = List.of(programs("9.6.24"), programs("12.22"), recent, programs("18.0"));
    assertThat(PostgresPrograms.firstRecent(installed, folder))
        .contains(new PostgresPrograms(recent));
  }

  @Test
  void firstRecent_brokenBeforeIt_skipsThem() throws Exception {
    Path broken = programs("17.0");
    Files.writeString(broken.resolve("postgres"), "#!/bin/sh\nexit 127\n");
    Path recent = programs("16.1");
    assertThat(PostgresPrograms.firstRecent(List.of(broken, recent), folder))
        .contains(new PostgresPrograms(recent));
  }

  @Test
  void firstRecent_onlyOlder_isNone() throws Exception {
    assertThat(PostgresPrograms.firstRecent(List.of(programs("12.22")), folder)).isEmpty();
  }

  /** A folder with programs that have this version. */
  private Path programs(String version) throws Exception {
    Path bin = Files.createDirectories(folder.resolve(version.replace(' ', '-')));
    for (String program : List.of("postgres", "initdb")) {
      Path file = bin.resolve(program);
      Files.writeString(file, "#!/bin/sh\necho '%s (PostgreSQL) %s'\n".formatted(program, version));
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return bin;
  }
}
