package io.retroscope.sonify.play;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A writer that replaces a file as a whole or not at all. */
final class SoundFile {
  private SoundFile() {}

  /** The content of a file. */
  @FunctionalInterface
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  /** Replaces the file; if that fails, no partial file remains. */
  static void write(Path file, Content content) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      content.writeTo(out);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }
}
