package io.retroscope.sonify.play;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a file whole or not at all. */
final class SoundFile {
  private SoundFile() {}

  /** Something that writes itself to a stream. */
  @FunctionalInterface
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  /** Replaces the file; where that fails, no broken one stays. */
  static void write(Path file, Content content) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      content.writeTo(out);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }
}
