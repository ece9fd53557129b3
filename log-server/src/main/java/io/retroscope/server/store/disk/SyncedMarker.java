// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file with the number of the last change that is known to be on disk. It is outside the
 * database, so that damage to the database does not affect it. Used by one thread.
 */
/*
 * It is written after each sync of the database's log and is not synced itself: after a power
 * failure it may be old or empty, but never too new. So a database that ends before it has lost
 * data.
 */
public final class SyncedMarker implements AutoCloseable {
  public static final String FILE = "SYNCED";

  private static final int DIGITS = 20;

  private static final Logger logger = LoggerFactory.getLogger(SyncedMarker.class);
  private static final Pattern TEXT = Pattern.compile("(\\d{20}) ([0-9a-f]{8})\n");

  private final Path file;
  private final FileChannel channel;
  private boolean failed;

  private SyncedMarker(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Opens the marker of a data directory for writing; its content is kept.
   *
   * @throws StoreException if that is not possible
   */
  public static SyncedMarker open(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      return new SyncedMarker(
          file, FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    } catch (IOException e) {
      throw new StoreException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  /** The number in the marker of a data directory; empty if there is no valid one. */
  public static OptionalLong read(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      if (!Files.exists(file) || Files.size(file) == 0) {
        return OptionalLong.empty();
      }
      Matcher text = TEXT.matcher(DataDirectory.text(file));
      if (text.matches() && checksum(text.group(1)).equals(text.group(2))) {
        return OptionalLong.of(Long.parseLong(text.group(1)));
      }
      logger.warn("{} is damaged: whether the store has lost data cannot be checked", file);
    } catch (IOException | NumberFormatException e) {
      logger.warn("{} cannot be read: whether the store has lost data cannot be checked", file, e);
    }
    return OptionalLong.empty();
  }

  /** Records that all changes up to a number are on disk. */
  void write(long sequence) {
    String number = Long.toString(sequence);
    String digits = "0".repeat(DIGITS - number.length()) + number;
    byte[] text = (digits + " " + checksum(digits) + "\n").getBytes(StandardCharsets.US_ASCII);
    try {
      channel.write(ByteBuffer.wrap(text), 0);
      failed = false;
    } catch (IOException e) {
      // An old number makes the check weaker, but not wrong.
      if (!failed) {
        logger.warn("cannot write {}: {}", file, e.getMessage());
      }
      failed = true;
    }
  }

  private static String checksum(String digits) {
    CRC32C crc = new CRC32C();
    crc.update(digits.getBytes(StandardCharsets.US_ASCII));
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      logger.warn("cannot close {}: {}", file, e.getMessage());
    }
  }
}
