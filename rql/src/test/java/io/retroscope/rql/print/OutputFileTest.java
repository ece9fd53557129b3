// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
@Timeout(60)
class OutputFileTest {
  @TempDir Path folder;

  @Test
  void replace_regularFile_replacesItAsAWhole() throws IOException {
    Path file = Files.writeString(folder.resolve("a"), "before");
    assertThatThrownBy(
            () ->
                OutputFile.replaceText(
                    file,
                    out -> {
                      out.write("half");
                      out.flush();
                      throw new IOException("the source ended");
                    }))
        .hasMessageContaining(file.toString())
        .hasMessageContaining("the source ended");
    assertThat(file).hasContent("before");

    OutputFile.replaceText(file, out -> out.write("after"));
    assertThat(file).hasContent("after");
    assertOnlyFiles("a");
  }

  @Test
  void replace_regularFile_keepsItsPermissionsAndItsOtherNames() throws IOException {
    Path file = Files.writeString(folder.resolve("a"), "before");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
    Path other = Files.createLink(folder.resolve("b"), file);
    OutputFile.replaceText(file, out -> out.write("after"));
    assertThat(other).hasContent("after");
    Files.delete(other);
    OutputFile.replaceText(file, out -> out.write("later"));
    assertThat(file).hasContent("later");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-rw-r--");
    assertOnlyFiles("a");
  }

  @Test
  void replace_link_writesTheFileThatItLeadsTo() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    Path file = Files.writeString(inner.resolve("a"), "before");
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("inner/a"));
    Path second = Files.createSymbolicLink(folder.resolve("second"), link);
    OutputFile.replaceText(second, out -> out.write("after"));
    assertThat(file).hasContent("after");
    assertThat(link).isSymbolicLink();
    assertThat(second).isSymbolicLink();

    Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), Path.of("inner/new"));
    OutputFile.replaceText(dangling, out -> out.write("new"));
    assertThat(dangling).isSymbolicLink();
    assertThat(inner.resolve("new")).hasContent("new");

    Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
    assertThatThrownBy(() -> OutputFile.replaceText(loop, out -> {}))
        .isInstanceOf(IOException.class);
  }

  @Test
  void replace_pipe_writesIntoItAndLeavesIt() throws Exception {
    Path pipe = pipe("pipe");
    CompletableFuture<String> read = read(pipe);
    OutputFile.replaceText(pipe, out -> out.write("through"));
    assertThat(read.get()).isEqualTo("through");
    assertThat(isOther(pipe)).isTrue();

    CompletableFuture<String> again = read(pipe);
    assertThatThrownBy(
            () ->
                OutputFile.replace(
                    Files.createSymbolicLink(folder.resolve("link"), pipe),
                    out -> {
                      throw new IOException("the source ended");
                    }))
        .hasMessageContaining("the source ended");
    assertThat(again.get()).isEmpty();
    assertThat(isOther(pipe)).isTrue();
    assertOnlyFiles("link", "pipe");
  }

  @Test
  void open_pipe_writesIntoIt() throws Exception {
    Path pipe = pipe("pipe");
    CompletableFuture<String> read = read(pipe);
    try (OutputStream out = OutputFile.open(pipe)) {
      out.write('x');
    }
    assertThat(read.get()).isEqualTo("x");
  }

  /** A device of the kind of /dev/null, in the folder of the test. */
  @Test
  void replace_device_leavesIt() throws Exception {
    Path device = folder.resolve("null");
    assumeTrue(ran("mknod", device.toString(), "c", "1", "3"), "no right to make a device");
    assumeTrue(Files.isWritable(device), "devices cannot be used here");
    try {
      OutputFile.replaceText(device, out -> out.write("nothing"));
    } catch (IOException e) {
      assumeTrue(!Files.isRegularFile(device), "devices cannot be opened here: " + e);
    }
    assertThat(isOther(device)).isTrue();
    assertOnlyFiles("null");
  }

  @Test
  void replace_descriptorOfARegularFile_writesAfterWhatWasWritten() throws IOException {
    Path descriptors = Path.of("/proc/self/fd");
    assumeTrue(Files.isDirectory(descriptors));
    Path file = Files.writeString(folder.resolve("a"), "before,");
    try (OutputStream open = Files.newOutputStream(file, java.nio.file.StandardOpenOption.APPEND)) {
      open.write("opened,".getBytes(StandardCharsets.UTF_8));
      OutputFile.replaceText(descriptorOf(file, descriptors), out -> out.write("after"));
    }
    assertThat(file).hasContent("before,opened,after");
    assertOnlyFiles("a");
  }

  @Test
  void replace_noSuchFolderOrAFolder_isRefused() {
    assertThatThrownBy(() -> OutputFile.replaceText(folder.resolve("no/a"), out -> {}))
        .hasMessageContaining("no");
    assertThatThrownBy(() -> OutputFile.replaceText(folder, out -> {}))
        .hasMessageContaining("is a folder");
  }

  private static Path descriptorOf(Path file, Path descriptors) throws IOException {
    try (Stream<Path> all = Files.list(descriptors)) {
      return all.filter(link -> leadsTo(link, file)).findFirst().orElseThrow();
    }
  }

  private static boolean leadsTo(Path link, Path file) {
    try {
      return Files.readSymbolicLink(link).equals(file.toRealPath());
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  private static boolean isOther(Path file) throws IOException {
    return Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class).isOther();
  }

  private void assertOnlyFiles(String... names) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder(names);
    }
  }

  private Path pipe(String name) throws Exception {
    Path pipe = folder.resolve(name);
    assumeTrue(ran("mkfifo", pipe.toString()), "no mkfifo");
    return pipe;
  }

  private static CompletableFuture<String> read(Path pipe) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Files.readString(pipe);
          } catch (IOException e) {
            return "cannot read: " + e;
          }
        });
  }

  private static boolean ran(String... command) throws Exception {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
