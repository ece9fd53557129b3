package io.retroscope.cli.file;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A writer that replaces a text file as a whole or not at all. */
public final class WholeFile {
  private WholeFile() {}

  /** The content of a file. */
  @FunctionalInterface
  public interface Content {
    /** Writes the whole content. */
    void writeTo(Writer out) throws IOException;
  }

  /**
   * Replaces a file; if that fails, the previous file remains.
   *
   * @throws IOException if it cannot be written, or if writing the content fails
   */
  public static void write(Path file, Content content) throws IOException {
    Path absolute = file.toAbsolutePath();
    Path folder = absolute.getParent();
    if (folder == null || Files.isDirectory(absolute)) {
      throw new IOException(file + " is a folder");
    }
    if (!Files.isDirectory(folder)) {
      throw new NoSuchFileException(folder.toString());
    }
    Path draft = Files.createTempFile(folder, "." + absolute.getFileName(), ".part");
    draft.toFile().deleteOnExit(); // also when Ctrl-C ends the process
    try {
      try (BufferedWriter out = Files.newBufferedWriter(draft, StandardCharsets.UTF_8)) {
        content.writeTo(out);
      }
      Files.move(draft, absolute, StandardCopyOption.REPLACE_EXISTING);
    } catch (FileSystemException e) {
      throw e; // the message names its file
    } catch (IOException e) {
      throw new IOException("cannot write " + file + ": " + FileProblem.reason(e), e);
    } finally {
      Files.deleteIfExists(draft);
    }
  }
}
