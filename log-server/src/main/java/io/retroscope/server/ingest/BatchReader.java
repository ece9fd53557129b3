// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.ingest.BadBatchException.Kind;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * A reader of one batch of events, as lines of JSON or as blocks, compressed or not. The limits
 * apply to the decompressed size, so that a small request cannot fill the memory. Thread-safe.
 */
public final class BatchReader {
  /** The media type of lines of JSON. */
  public static final String NDJSON = "application/x-ndjson";

  /** The media types of batches. */
  public static final List<String> MEDIA_TYPES =
      List.of(NDJSON, "application/json", "application/jsonl", EventBlockCodec.CONTENT_TYPE);

  /**
   * The approximate memory of the events from one byte of JSON: short lines and long sets take
   * more, long texts less.
   */
  private static final int LINE_BYTES = 16;

  /** Blocks are collected in pieces before they are copied into one array. */
  private static final int BLOCK_BYTES = 2;

  /** The longest name of a log or a variable, in characters; its UTF-8 fits into 64 KiB. */
  private static final int MAX_NAME_LENGTH = Event.MAX_INCARNATION_LENGTH;

  private final NdjsonReader.Limits limits;

  /** A reader of batches up to the limits, which hold for both kinds. */
  public BatchReader(NdjsonReader.Limits limits) {
    this.limits = limits;
  }

  /**
   * Reads a batch to its end.
   *
   * @param charge is enlarged for the body and the decoded events before they are allocated
   * @param contentType with or without parameters; absent means lines of JSON
   * @param contentEncoding absent means uncompressed
   * @throws BadBatchException if it is not a batch of events; nothing of it may be used
   * @throws OverBudgetException if there is not enough memory
   */
  public Submission read(
      Optional<String> contentType, Optional<String> contentEncoding, byte[] body, Charge charge) {
    try {
      InputStream unpacked =
          unpack(contentEncoding.orElse("identity"), new ByteArrayInputStream(body));
      return switch (mediaType(contentType)) {
        case NDJSON, "application/json", "application/jsonl" ->
            readLines(unpacked, body.length, charge);
        case EventBlockCodec.CONTENT_TYPE -> readBlocks(unpacked, charge);
        default ->
            throw new BadBatchException(
                Kind.UNSUPPORTED,
                "unknown content type \"%s\": send %s or %s"
                    .formatted(mediaType(contentType), NDJSON, EventBlockCodec.CONTENT_TYPE));
      };
    } catch (IOException e) {
      // The whole body is in memory, so it can only be damaged.
      throw new BadBatchException(Kind.CONTENT, "the packed body is damaged or cut off");
    }
  }

  private static String mediaType(Optional<String> contentType) {
    String type = contentType.orElse(NDJSON);
    int parameters = type.indexOf(';');
    return (parameters < 0 ? type : type.substring(0, parameters)).strip().toLowerCase(Locale.ROOT);
  }

  static InputStream unpack(String encoding, InputStream body) throws IOException {
    return switch (encoding.strip().toLowerCase(Locale.ROOT)) {
      case "identity", "" -> body;
      case "gzip", "x-gzip" -> new GZIPInputStream(body, 8192);
      default ->
          throw new BadBatchException(
              Kind.UNSUPPORTED, "unknown content encoding \"" + encoding + "\": send gzip");
    };
  }

  private Submission readLines(InputStream in, long bodyBytes, Charge charge) throws IOException {
    ChargedInputStream counted = new ChargedInputStream(in, charge, LINE_BYTES);
    NdjsonReader reader = new NdjsonReader(counted, limits);
    LineCollector lines = new LineCollector(reader, bodyBytes);
    try {
      while (reader.next(lines)) {
        // The next line.
      }
    } catch (NdjsonException e) {
      boolean tooLarge = counted.count() > limits.batchBytes();
      throw new BadBatchException(
          tooLarge ? Kind.TOO_LARGE : Kind.CONTENT, String.valueOf(e.getMessage()));
    }
    return lines.submission(LINE_BYTES * counted.count());
  }

  private Submission readBlocks(InputStream in, Charge charge) throws IOException {
    InputStream counted = new ChargedInputStream(in, charge, BLOCK_BYTES);
    byte[] bytes =
        counted.readNBytes((int) Math.min(Integer.MAX_VALUE - 8, limits.batchBytes() + 1));
    if (bytes.length > limits.batchBytes()) {
      throw new BadBatchException(
          Kind.TOO_LARGE, "the batch is longer than " + limits.batchBytes() + " bytes");
    }
    return new Submission.Frames(frames(bytes, charge));
  }

  /**
   * Decodes the blocks that make up an array, with the bytes of each.
   *
   * @param charge is enlarged for each block before it is decoded
   * @throws BadBatchException if the array contains anything else; nothing of it may be used
   * @throws OverBudgetException if there is not enough memory
   */
  public static List<EncodedFrame> frames(byte[] bytes, Charge charge) {
    List<EncodedFrame> frames = new ArrayList<>();
    ByteArrayInputStream rest = new ByteArrayInputStream(bytes);
    try {
      while (rest.available() > 0) {
        int start = bytes.length - rest.available();
        charge.resize(charge.bytes() + EventBlockCodec.decodedBytes(bytes, start));
        Optional<BlockFrame> frame = EventBlockCodec.read(rest, start);
        int end = bytes.length - rest.available();
        if (frame.isPresent()) {
          check(frame.get(), start);
          charge.resize(charge.bytes() + end - start);
          frames.add(new EncodedFrame(frame.get(), Arrays.copyOfRange(bytes, start, end)));
        }
      }
    } catch (IOException e) {
      // The only possible cause is the content of the array.
      throw new BadBatchException(Kind.CONTENT, String.valueOf(e.getMessage()));
    }
    return frames;
  }

  /**
   * Checks that a block is either numbered by one node, or created by a server and without a
   * number.
   */
  private static void check(BlockFrame frame, int position) {
    checkNames(
        List.of(frame.incarnation()), "an incarnation", 0, Event.MAX_INCARNATION_LENGTH, position);
    if (frame instanceof EventBlock block) {
      checkNames(block.logs(), "a log", 0, MAX_NAME_LENGTH, position);
      checkNames(block.variables(), "a variable", 1, MAX_NAME_LENGTH, position);
    }
    if (frame instanceof LostBlocks lost && !lost.isPlausible()) {
      throw new BadBatchException(
          Kind.CONTENT,
          "the notice at byte %d declares blocks %d to %d with %d events lost: at most %d blocks and %d events are possible"
              .formatted(
                  position,
                  lost.firstNumber(),
                  lost.lastNumber(),
                  lost.eventCount(),
                  LostBlocks.MAX_BLOCKS,
                  LostBlocks.MAX_EVENTS));
    }
    if (frame instanceof EventBlock block
        && (block.number() > 0 || block.isEmpty())
        && (block.nodes().size() != 1 || block.incarnation().isEmpty())) {
      throw new BadBatchException(
          Kind.CONTENT,
          "the block at byte %d must name one node and its incarnation: it names %s and \"%s\""
              .formatted(position, block.nodes(), block.incarnation()));
    }
  }

  private static void checkNames(
      List<String> names, String kind, int minLength, int maxLength, int position) {
    for (String name : names) {
      if (name.length() < minLength || name.length() > maxLength) {
        throw new BadBatchException(
            Kind.CONTENT,
            "the block at byte %d names %s of %d characters: %d to %d are possible"
                .formatted(position, kind, name.length(), minLength, maxLength));
      }
    }
  }
}
