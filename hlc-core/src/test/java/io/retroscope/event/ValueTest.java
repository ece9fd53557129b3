// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ValueTest {
  private static final double NEXT_ABOVE_2_TO_53 = 0x1p53 + 2;

  /** All values in their order; those of one list are equal in order. */
  private static final List<List<Value>> ASCENDING =
      List.of(
          List.of(Value.NullValue.NULL),
          List.of(Value.BooleanValue.FALSE),
          List.of(Value.BooleanValue.TRUE),
          List.of(number(Double.NEGATIVE_INFINITY)),
          List.of(number(-0x1.0000000000001p63)),
          List.of(number(-0x1p63), integer(Long.MIN_VALUE)),
          List.of(number(-1.5)),
          List.of(integer(-1), number(-1)),
          List.of(number(-0.5)),
          List.of(integer(0), number(0.0), number(-0.0)),
          List.of(number(0.5)),
          List.of(integer(1), number(1)),
          List.of(integer(1L << 53), number(0x1p53)),
          List.of(integer((1L << 53) + 1)),
          List.of(number(NEXT_ABOVE_2_TO_53), integer((1L << 53) + 2)),
          List.of(integer(Long.MAX_VALUE)),
          List.of(number(0x1p63)),
          List.of(number(Double.POSITIVE_INFINITY)),
          List.of(number(Double.NaN)),
          List.of(new Value.StringValue("a")),
          List.of(new Value.StringValue("b")),
          List.of(new Value.DurationValue(-1)),
          List.of(new Value.DurationValue(1)),
          List.of(new Value.TimestampValue(-1)),
          List.of(new Value.TimestampValue(1)),
          List.of(new Value.SetValue(Set.of())),
          List.of(new Value.SetValue(Set.of(integer(1)))),
          List.of(new Value.SetValue(Set.of(integer(1), integer(2)))),
          List.of(new Value.SetValue(Set.of(integer(2)))),
          List.of(new Value.StructValue(Map.of())),
          List.of(new Value.StructValue(Map.of("a", integer(1)))),
          List.of(new Value.StructValue(Map.of("a", integer(2)))),
          List.of(new Value.StructValue(Map.of("b", integer(0)))));

  private static Value integer(long value) {
    return new Value.LongValue(value);
  }

  private static Value number(double value) {
    return new Value.DoubleValue(value);
  }

  @Test
  void order_isOfValuesOfEachType() {
    assertThat(ASCENDING)
        .flatExtracting(equal -> equal.stream().map(Object::getClass).toList())
        .containsAll(types(Value.class).toList());
  }

  private static Stream<Class<?>> types(Class<?> type) {
    return type.isSealed()
        ? Stream.of(type.getPermittedSubclasses()).flatMap(ValueTest::types)
        : Stream.of(type);
  }

  @Test
  void key_ofEqualNumbers_isEqual() {
    for (List<Value> equal : ASCENDING) {
      assertThat(
              equal.stream()
                  .filter(Value.NumberValue.class::isInstance)
                  .map(number -> ((Value.NumberValue) number).key())
                  .distinct())
          .as("%s", equal)
          .hasSizeLessThanOrEqualTo(1);
    }
  }

  @Test
  void compareTo_eachPair_isTheirOrder() {
    for (int i = 0; i < ASCENDING.size(); i++) {
      for (int j = 0; j < ASCENDING.size(); j++) {
        for (Value a : ASCENDING.get(i)) {
          for (Value b : ASCENDING.get(j)) {
            assertThat(Integer.signum(a.compareTo(b)))
                .as("%s and %s", a, b)
                .isEqualTo(Integer.compare(i, j));
          }
        }
      }
    }
  }
}
