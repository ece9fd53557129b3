// SPDX-License-Identifier: Apache-2.0
package io.retroscope.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.retroscope.event.Event;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.server.ingest.BadBatchException;
import io.retroscope.server.ingest.OtlpBatch;
import io.retroscope.server.ingest.OtlpReader;
import io.retroscope.server.ingest.OtlpSignal;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Any request is refused, or its events can be written as lines and read again. */
class OtlpFuzzTest {
  private static final NdjsonReader.Limits LIMITS = new NdjsonReader.Limits(1 << 22, 1 << 24);

  private final OtlpReader reader = new OtlpReader(1 << 20);
  private final MemoryBudget budget = new MemoryBudget(16 << 20);

  /** Of the first byte, a bit chooses the signal and another the encoding. */
  @FuzzTest(maxDuration = "2m")
  void read_request_isRefusedOrSurvives(byte[] data) throws IOException {
    if (data.length == 0) {
      return;
    }
    OtlpSignal signal = (data[0] & 1) == 0 ? OtlpSignal.LOGS : OtlpSignal.SPANS;
    Optional<String> encoding = (data[0] & 2) == 0 ? Optional.empty() : Optional.of("gzip");
    OtlpBatch batch;
    try (Charge charge = budget.charge()) {
      byte[] body = Arrays.copyOfRange(data, 1, data.length);
      batch = reader.read(signal, encoding, body, charge);
      assertThat(charge.bytes()).isGreaterThanOrEqualTo(batch.sizeBytes());
    } catch (BadBatchException | OverBudgetException e) {
      assertThat(e).hasMessageMatching("(?s).+");
      return;
    }
    assertThat(batch.reason().isEmpty()).isEqualTo(batch.rejected() == 0);
    assertThat(firstOf(batch.placed())).isEqualTo(batch.firstPlaced());
    for (NumberedEvent numbered : batch.submission(0, batch.firstPlaced().keySet()).lines()) {
      String line = NdjsonWriter.line(numbered.event());
      assertThat(read(line).map(NdjsonWriter::line)).contains(line);
    }
  }

  /** The lowest stamp of each node, whose events must have ascending ones. */
  private static Map<String, Long> firstOf(List<NumberedEvent> placed) {
    Map<String, Long> first = new HashMap<>();
    Map<String, Long> last = new HashMap<>();
    for (NumberedEvent numbered : placed) {
      Event event = numbered.event();
      first.putIfAbsent(event.node(), event.hlc());
      Long before = last.put(event.node(), event.hlc());
      assertThat(before == null || before < event.hlc()).isTrue();
    }
    return first;
  }

  private static Optional<Event> read(String line) throws IOException {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    return new NdjsonReader(new ByteArrayInputStream(bytes), LIMITS).next();
  }
}
