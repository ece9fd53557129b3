// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Clients of earlier servers resume with these digests. */
class AnswerDigestTest {
  private static final long HLC = 77;

  @Test
  void of_aValueOfEachType_remainsTheSame() {
    List<Value> values =
        List.of(
            NullValue.NULL,
            Value.of(true),
            Value.of(12),
            Value.of(1.5),
            Value.of("text"),
            new DurationValue(3_000),
            new TimestampValue(99),
            new SetValue(List.of(Value.of(1), Value.of("a"))),
            new StructValue(Map.of("field", Value.of(2))));
    assertThat(values.stream().map(AnswerDigestTest::digest))
        .containsExactly(
            -6157030315843425784L,
            3903264575602784716L,
            8015972291819025642L,
            7937971967773023580L,
            -3504160840005174684L,
            -4059782449429169186L,
            5294316784046001199L,
            2452398937114611985L,
            -6119234945148226745L);
  }

  private static long digest(Value value) {
    Column column = new Column("x", false);
    return new AnswerDigest(Collections.nCopies(1, column))
        .of(new Row(HLC, 0, List.of(value), Optional.empty()));
  }
}
