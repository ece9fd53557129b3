// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.WireFormat;
import io.retroscope.recordings.document.DocumentException;
import io.retroscope.recordings.document.LogRecord;
import io.retroscope.recordings.document.OtlpJson;
import io.retroscope.recordings.document.Span;
import io.retroscope.server.ingest.BadBatchException.Kind;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * A reader of logs and spans in the OpenTelemetry protocol, which need no recorder at their node:
 * the attribute {@code hlc} is the stamp of a record; a record without one is placed by its time.
 * Thread-safe.
 */
public final class OtlpReader {
  /*
   * An empty message takes two bytes on the wire and a hundred as an object. The levels above the
   * records are therefore read without objects, and one record at a time becomes one, so that the
   * charge for the events is all that a request can take.
   */
  /** The media type of requests and answers in protobuf. */
  public static final String MEDIA_TYPE = "application/x-protobuf";

  /** The media type of requests and answers in JSON. */
  public static final String JSON_MEDIA_TYPE = "application/json";

  /** The attribute with the stamp of a record, as {@code <micros>.<logical>}. */
  static final String STAMP = "hlc";

  /** The copies of the unpacked body that exist at one time. */
  private static final int BODY_COPIES = 2;

  /** The number of the field with the records at each of the three levels above them. */
  private static final int RESOURCES = 1;

  private static final int SCOPES = 2;
  private static final int RECORDS = 2;

  /** The number of the field that describes what the records of a level have in common. */
  private static final int ORIGIN = 1;

  private final long maxBytes;

  /**
   * A reader of requests.
   *
   * @param maxBytes the size of the longest one, unpacked
   */
  public OtlpReader(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Reads a request to its end.
   *
   * @param contentEncoding absent means uncompressed
   * @param charge is enlarged for the body and the events
   * @throws BadBatchException if it is not a request of this kind; nothing of it may be used
   * @throws OverBudgetException if there is not enough memory
   */
  public OtlpBatch read(
      OtlpSignal signal, Optional<String> contentEncoding, byte[] body, Charge charge) {
    try {
      byte[] unpacked = unpack(contentEncoding.orElse("identity"), body, charge);
      OtlpRecords records = new OtlpRecords(signal, charge);
      // No message of protobuf begins with a brace.
      if (isJson(unpacked)) {
        readJson(signal, unpacked, records);
      } else {
        each(
            UnsafeByteOperations.unsafeWrap(unpacked),
            RESOURCES,
            resource -> add(resource, records));
      }
      return records.batch();
    } catch (DocumentException e) {
      throw new BadBatchException(
          Kind.CONTENT, "the body is not a request of this kind in OTLP: line " + e.reason());
    } catch (InvalidProtocolBufferException e) {
      throw new BadBatchException(
          Kind.CONTENT, "the body is not a request of this kind in OTLP: " + e.getMessage());
    } catch (IOException e) {
      // The whole body is in memory, so it can only be damaged.
      throw new BadBatchException(Kind.CONTENT, "the packed body is damaged or cut off");
    }
  }

  private static boolean isJson(byte[] body) {
    for (byte b : body) {
      if (b > ' ') {
        return b == '{';
      }
    }
    return false;
  }

  /** Reads records in JSON; those of the other kind are refused. */
  private static void readJson(OtlpSignal signal, byte[] body, OtlpRecords records) {
    OtlpJson.Sink sink =
        new OtlpJson.Sink() {
          @Override
          public void span(long number, Span span) {
            check(number, OtlpSignal.SPANS, () -> records.span(number, span));
          }

          @Override
          public void log(long number, LogRecord log) {
            check(number, OtlpSignal.LOGS, () -> records.log(number, log));
          }

          private void check(long number, OtlpSignal kind, Runnable use) {
            if (kind == signal) {
              use.run();
            } else {
              records.refused(number, "it belongs to another endpoint of OTLP");
            }
          }

          @Override
          public void refused(long number, String reason) {
            records.refused(number, reason);
          }
        };
    new OtlpJson(sink, records::charge).read(new ByteArrayInputStream(body));
  }

  private byte[] unpack(String encoding, byte[] body, Charge charge) throws IOException {
    InputStream unpacked = BatchReader.unpack(encoding, new ByteArrayInputStream(body));
    byte[] bytes =
        new ChargedInputStream(unpacked, charge, BODY_COPIES)
            .readNBytes((int) Math.min(Integer.MAX_VALUE - 8, maxBytes + 1));
    if (bytes.length > maxBytes) {
      throw new BadBatchException(
          Kind.TOO_LARGE, "the batch is longer than " + maxBytes + " bytes");
    }
    return bytes;
  }

  private static void add(ByteString resource, OtlpRecords records) throws IOException {
    records.resource(ByteString.EMPTY);
    each(resource, ORIGIN, records::resource);
    each(resource, SCOPES, scope -> add(records, scope));
  }

  private static void add(OtlpRecords records, ByteString scope) throws IOException {
    records.scope(ByteString.EMPTY);
    each(scope, ORIGIN, records::scope);
    each(scope, RECORDS, records::record);
  }

  /** A use of one part of a message. */
  private interface Part {
    void read(ByteString bytes) throws IOException;
  }

  /** Passes on the parts of a message that have this number. */
  private static void each(ByteString message, int number, Part part) throws IOException {
    CodedInputStream in = message.newCodedInput();
    in.enableAliasing(true);
    int wanted = number << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == wanted) {
        part.read(in.readBytes());
      } else if (!in.skipField(tag)) {
        throw new InvalidProtocolBufferException("a group ends that did not begin");
      }
    }
  }
}
