// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A small file system in memory, which only root may mount, that can be full. */
final class SmallDisk implements AutoCloseable {
  private final Path disk;
  private final Path filler;

  private SmallDisk(Path disk) {
    this.disk = disk;
    this.filler = disk.resolve("filler");
  }

  /** Mounts a disk, or skips the test where that is not possible. */
  static SmallDisk mount(Path folder, int mebibytes) throws IOException {
    Assumptions.assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", folder.toString()),
        "mounting a small disk needs root");
    return new SmallDisk(folder);
  }

  void fillUp() throws IOException {
    byte[] some = new byte[1 << 20];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(some);
      }
    } catch (IOException full) {
      if (disk.toFile().getUsableSpace() > 0) {
        throw full;
      }
    }
  }

  void freeUp() throws IOException {
    Files.delete(filler);
  }

  @Override
  public void close() throws IOException {
    boolean unused = run("umount", "-l", disk.toString());
  }

  private static boolean run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
