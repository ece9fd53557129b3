// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectFilesTest {
  @Test
  void in_folderWithBuildOutput_hasOnlyWhatIsWritten(@TempDir Path root) throws IOException {
    for (String name :
        new String[] {
          "b/a.md", "a/A.java", "a/target/B.java", ".git/c.md", "b/node_modules/d.md"
        }) {
      Path file = root.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, name);
    }
    assertThat(ProjectFiles.in(root))
        .containsExactly(root.resolve("a/A.java"), root.resolve("b/a.md"));
  }
}
