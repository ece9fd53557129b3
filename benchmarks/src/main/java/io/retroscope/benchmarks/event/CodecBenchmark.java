// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.event;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.BlockEncoder;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.ValueType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Benchmarks of encoding and decoding a recorder's full block with changes of a few variables, per
 * event. For comparison, {@code java.io} with the same numbers and a checksum.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class CodecBenchmark {
  private static final int EVENTS = 4_096;
  private static final int VARIABLES = 8;
  private static final int BYTES_PER_EVENT = 3 * Long.BYTES + 2 * Integer.BYTES + Long.BYTES;

  private EventBlock block = EventBlock.heartbeat("zk1", "5f2c", 1, 0, 0);
  private byte[] encoded = {};
  private byte[] plain = {};
  private final BlockEncoder encoder = new BlockEncoder();

  /** Fills the block. */
  @Setup
  public void fill() throws IOException {
    Random random = new Random(7);
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("5f2c", 1);
    int node = builder.nodeIndex("zk1");
    int log = builder.logIndex("setd");
    long micros = 1_795_200_000_000_000L;
    long[] versions = new long[VARIABLES];
    for (int i = 0; i < EVENTS; i++) {
      int variable = random.nextInt(VARIABLES);
      micros += random.nextInt(4);
      long hlc = HlcTimestamp.pack(micros, random.nextInt(3));
      long lagMicros = random.nextInt(2_000);
      builder.begin(hlc, micros - lagMicros, i + 1L, EventKind.STATE_CHANGE, 0, node, log);
      versions[variable] += random.nextInt(3);
      int name = builder.nameIndex("r" + variable);
      builder.change(Operation.SET, name, ValueType.LONG, versions[variable]);
    }
    block = builder.build();
    encoded = EventBlockCodec.encode(block);
    plain = encodeWithStreams();
    System.out.printf(
        "bytes an event: block %.2f, streams %.2f%n",
        (double) encoded.length / EVENTS, (double) plain.length / EVENTS);
  }

  /** Encodes into a new array, as for the network. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public byte[] encode() {
    return EventBlockCodec.encode(block);
  }

  /** Encodes into the encoder's memory, as for a file. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public ByteBuffer encodeIntoKeptMemory() {
    return encoder.encode(block);
  }

  /** Decodes with every check. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public EventBlock decode() throws CorruptBlockException {
    return EventBlockCodec.decodeBlock(encoded);
  }

  /** Writes the same numbers with fixed width. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public byte[] encodeWithStreams() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(EVENTS * BYTES_PER_EVENT + Long.BYTES);
    DataOutputStream out = new DataOutputStream(bytes);
    for (int row = 0; row < block.size(); row++) {
      int change = block.firstChange(row);
      out.writeLong(block.hlc(row));
      out.writeLong(block.physicalMicros(row));
      out.writeLong(block.sequence(row));
      out.writeInt(block.logIndex(row));
      out.writeInt(block.nameIndex(change));
      out.writeLong(block.bits(change));
    }
    out.writeLong(checksum(bytes.toByteArray(), bytes.size()));
    return bytes.toByteArray();
  }

  /** Reads them back into arrays. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public void decodeWithStreams(Blackhole hole) throws IOException {
    long checksum = checksum(plain, plain.length - Long.BYTES);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(plain));
    long[] hlc = new long[EVENTS];
    long[] physical = new long[EVENTS];
    long[] sequence = new long[EVENTS];
    int[] log = new int[EVENTS];
    int[] name = new int[EVENTS];
    long[] bits = new long[EVENTS];
    for (int row = 0; row < EVENTS; row++) {
      hlc[row] = in.readLong();
      physical[row] = in.readLong();
      sequence[row] = in.readLong();
      log[row] = in.readInt();
      name[row] = in.readInt();
      bits[row] = in.readLong();
    }
    if (in.readLong() != checksum) {
      throw new IOException("the checksum does not match");
    }
    hole.consume(hlc);
    hole.consume(physical);
    hole.consume(sequence);
    hole.consume(log);
    hole.consume(name);
    hole.consume(bits);
  }

  /** Copies the bytes of the block and computes their checksum, a lower bound for every codec. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long copyAndChecksum() {
    return checksum(encoded.clone(), encoded.length);
  }

  private static long checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return crc.getValue();
  }
}
