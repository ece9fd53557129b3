// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A segment file of a {@link SpillFiles} queue; the newest may still grow. It tracks the frames
 * that this process has written to it, so that a loss can be declared for each block. Not
 * thread-safe.
 */
final class SpillSegment {
  private static final System.Logger LOGGER = System.getLogger(SpillSegment.class.getName());

  final Path file;

  /** Whether an earlier process wrote it. */
  private final boolean adopted;

  /**
   * The blocks written by this process, in order, with neighbours merged; a notice of loss is
   * included unchanged.
   */
  private final List<LostBlocks> written = new ArrayList<>();

  private long length;

  private SpillSegment(Path file, boolean adopted, long length) {
    this.file = file;
    this.adopted = adopted;
    this.length = length;
  }

  static SpillSegment begun(Path file) {
    return new SpillSegment(file, false, 0);
  }

  static SpillSegment adopted(Path file) throws IOException {
    return new SpillSegment(file, true, Files.size(file));
  }

  /**
   * The readable content of a segment.
   *
   * @param lost the blocks that were written to it and could not be read
   */
  record Content(List<Parcel> parcels, List<LostBlocks> lost) {}

  long length() {
    return length;
  }

  /** Registers a frame that was appended. */
  void wrote(Parcel parcel) {
    length += parcel.length();
    LostBlocks next = parcel.ifLost();
    int last = written.size() - 1;
    if (last >= 0 && Parcel.canJoin(written.get(last), next)) {
      written.set(last, Parcel.join(written.get(last), next));
    } else {
      written.add(next);
    }
  }

  /**
   * Reads the frames up to the first damaged one, or none if the file is missing.
   *
   * @throws IOException if the file exists and cannot be read now
   */
  Content read() throws IOException {
    List<Parcel> parcels = new ArrayList<>();
    Optional<String> damage = readInto(parcels);
    List<LostBlocks> lost = unread(parcels);
    if (damage.isPresent() || !lost.isEmpty()) {
      report(damage.orElse("its end is missing"), lost);
    }
    return new Content(parcels, lost);
  }

  /** Abandons the segment without another attempt to read it. */
  Content abandon(String reason) {
    List<LostBlocks> lost = List.copyOf(written);
    report(reason, lost);
    return new Content(List.of(), lost);
  }

  /** Reads the file, and returns the problem with it; empty if it could be read to its end. */
  private Optional<String> readInto(List<Parcel> parcels) throws IOException {
    try (InputStream in = new BufferedInputStream(new FileInputStream(file.toFile()))) {
      long position = 0;
      Optional<BlockFrame> frame = EventBlockCodec.read(in, position);
      while (frame.isPresent()) {
        if (!(frame.get() instanceof EventBlock block) || block.number() > 0) {
          Parcel parcel = Parcel.of(frame.get());
          parcels.add(parcel);
          position += parcel.length();
        }
        frame = EventBlockCodec.read(in, position);
      }
      return Optional.empty();
    } catch (CorruptBlockException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      if (Files.exists(file)) {
        throw e;
      }
      return Optional.of("it was deleted");
    }
  }

  /** The blocks written after the last of these parcels, which are the first ones written. */
  private List<LostBlocks> unread(List<Parcel> parcels) {
    List<LostBlocks> rest = new ArrayList<>(written);
    for (Parcel parcel : parcels) {
      if (!rest.isEmpty()) {
        LostBlocks whole = rest.remove(0);
        LostBlocks read = parcel.ifLost();
        if (read.lastNumber() < whole.lastNumber()) {
          rest.add(0, after(whole, read));
        }
      }
    }
    return rest;
  }

  private static LostBlocks after(LostBlocks whole, LostBlocks read) {
    return new LostBlocks(
        whole.node(),
        whole.incarnation(),
        read.lastNumber() + 1,
        whole.lastNumber(),
        Math.max(0, whole.eventCount() - read.eventCount()),
        Math.min(read.lastHlc(), whole.lastHlc()),
        whole.lastHlc());
  }

  private void report(String reason, List<LostBlocks> lost) {
    LOGGER.log(
        System.Logger.Level.WARNING,
        "{0} cannot be read ({1}): {2} events{3} are lost",
        file,
        reason,
        Long.toString(lost.stream().mapToLong(LostBlocks::eventCount).sum()),
        adopted ? " of an earlier run, as many as it held," : "");
  }
}
