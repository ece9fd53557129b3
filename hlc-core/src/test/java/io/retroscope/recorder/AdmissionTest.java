// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hostile values that a service may pass in. A stall causes the timeout. */
@Timeout(60)
class AdmissionTest {
  private long nanos;
  private final Counters counters = new Counters();
  private final Admission admission = new Admission(100, counters, () -> nanos);

  private static int count(Value value) {
    int sum = 1;
    if (value instanceof Value.SetValue set) {
      sum += set.elements().stream().mapToInt(AdmissionTest::count).sum();
    } else if (value instanceof Value.StructValue struct) {
      sum += struct.fields().values().stream().mapToInt(AdmissionTest::count).sum();
    }
    return sum;
  }

  /** A structure that contains each level twice in the next: 2 to the power of the depth leaves. */
  private static Object doubling(int depth, Function<Object, Object> twice) {
    Object value = 1;
    for (int i = 0; i < depth; i++) {
      value = twice.apply(value);
    }
    return value;
  }

  private static Object twiceInAMap(Object value) {
    return Map.of("a", value, "b", value);
  }

  @Test
  void valueOf_mapsThatDouble_isCutWhereTheBudgetEnds() {
    Value value = admission.valueOf(doubling(41, AdmissionTest::twiceInAMap));
    assertThat(count(value)).isBetween(100, Admission.MAX_EVENT_VALUES + 1);
    assertThat(counters.truncated.sum()).isEqualTo(1);
  }

  @Test
  void valueOf_listsAndArraysThatDouble_areCut() {
    admission.valueOf(doubling(60, value -> List.of(value, value)));
    admission.valueOf(doubling(60, value -> new Object[] {value, value}));
    assertThat(counters.truncated.sum()).isEqualTo(2);
  }

  @Test
  void valueOf_mapsThatDoubleBelowTheDeepestLevel_doNotBecomeText() {
    Object value = doubling(41, AdmissionTest::twiceInAMap);
    for (int i = 0; i < 70; i++) {
      value = List.of(value);
    }
    assertThat(admission.valueOf(value).toString())
        .contains("<java.util.ImmutableCollections$List12 too large to record>");
    assertThat(counters.truncated.sum()).isEqualTo(1);
  }

  @Test
  void valueOf_mapsThatDoubleAsAKey_doNotBecomeText() {
    Map<Object, Object> map =
        new AbstractMap<>() {
          @Override
          public Set<Entry<Object, Object>> entrySet() {
            return Set.of(Map.entry(doublingKey(), 1));
          }
        };
    assertThat(count(admission.valueOf(map))).isEqualTo(2);
    assertThat(counters.truncated.sum()).isEqualTo(1);
  }

  /** Hashes by identity, because otherwise the test itself would never end. */
  private static Object doublingKey() {
    Map<Object, Object> key =
        new HashMap<>() {
          @Override
          public int hashCode() {
            return System.identityHashCode(this);
          }
        };
    key.put("a", doubling(41, AdmissionTest::twiceInAMap));
    return key;
  }

  @Test
  void valueOf_manyBytes_areHexadecimalUpToTheLimitOfTexts() {
    assertThat(admission.valueOf(new byte[] {0x0A, -1})).isEqualTo(Value.of("0aff"));
    assertThat(counters.truncated.sum()).isZero();
    assertThat(admission.valueOf(new byte[1 << 20])).isEqualTo(Value.of("00".repeat(50)));
    assertThat(counters.truncated.sum()).isEqualTo(1);
  }

  @Test
  void valueOf_threeMillionElements_isCut() {
    assertThat(count(admission.valueOf(Collections.nCopies(3_000_000, new int[1]))))
        .isLessThanOrEqualTo(Admission.MAX_EVENT_VALUES + 1);
    assertThat(count(admission.valueOf(new long[3_000_000])))
        .isLessThanOrEqualTo(Admission.MAX_EVENT_VALUES + 1);
    assertThat(counters.truncated.sum()).isEqualTo(2);
  }

  @Test
  void valueOf_fieldsOfOneEvent_shareOneBudget() {
    List<Integer> many = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      many.add(i);
    }
    Admission.Budget budget = admission.budget();
    assertThat(count(admission.valueOf(many, budget))).isEqualTo(4_001);
    assertThat(count(admission.valueOf(many, budget))).isEqualTo(4_001);
    assertThat(counters.truncated.sum()).isZero();
    assertThat(count(admission.valueOf(many, budget))).isEqualTo(2_001);
    assertThat(count(admission.valueOf(many, budget))).isEqualTo(1);
    assertThat(counters.truncated.sum()).isEqualTo(1);
  }

  @Test
  void valueOf_textsOfOneEvent_shareOneBudget() {
    Admission wide = new Admission(1_000_000, counters, () -> nanos);
    Admission.Budget budget = wide.budget();
    long length = 0;
    for (int i = 0; i < 10; i++) {
      length += ((Value.StringValue) wide.valueOf("x".repeat(1_000_000), budget)).value().length();
    }
    assertThat(length).isEqualTo(Admission.MAX_EVENT_WEIGHT);
    assertThat(counters.truncated.sum()).isEqualTo(1);
  }

  @Test
  void valueOf_structuresThatHoldThemselves_end() {
    List<Object> list = new ArrayList<>();
    list.add(list);
    list.add(list);
    Map<String, Object> map = new HashMap<>();
    map.put("self", map);
    admission.valueOf(list);
    admission.valueOf(map);
    assertThat(counters.truncated.sum()).isEqualTo(2);
  }

  /** A collection with a wrong size, and with the test's iterator. */
  private static Collection<Object> iteratedBy(Iterator<Object> iterator) {
    return new AbstractCollection<>() {
      @Override
      public Iterator<Object> iterator() {
        return iterator;
      }

      @Override
      public int size() {
        return -3;
      }
    };
  }

  @Test
  void valueOf_endlessIterator_isCut() {
    Iterator<Object> endless =
        new Iterator<>() {
          private long next;

          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Object next() {
            return next++;
          }
        };
    assertThat(count(admission.valueOf(iteratedBy(endless))))
        .isEqualTo(Admission.MAX_EVENT_VALUES + 1);
    assertThat(counters.truncated.sum()).isEqualTo(1);
  }

  @Test
  void valueOf_slowIterator_isCutByTime() {
    Iterator<Object> slow =
        new Iterator<>() {
          private long next;

          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Object next() {
            nanos += Admission.MAX_EVENT_NANOS / 10;
            return next++;
          }
        };
    assertThat(count(admission.valueOf(iteratedBy(slow)))).isBetween(10, 13);
    assertThat(counters.truncated.sum()).isEqualTo(1);
  }

  @Test
  void valueOf_methodsThatThrow_isTheClassOfWhatTheyThrew() {
    assertThat(
            admission.valueOf(
                iteratedBy(
                    new Iterator<>() {
                      @Override
                      public boolean hasNext() {
                        throw new StackOverflowError();
                      }

                      @Override
                      public Object next() {
                        throw new AssertionError();
                      }
                    })))
        .isEqualTo(Value.of("<java.lang.StackOverflowError while reading the value>"));
    assertThat(admission.valueOf(new Unhashable(true)))
        .isEqualTo(Value.of("<java.io.IOException while reading the value>"));
  }

  /** Throws from all of Object's methods that can be overridden. */
  private static final class Unhashable {
    private final boolean throwsChecked;

    Unhashable(boolean throwsChecked) {
      this.throwsChecked = throwsChecked;
    }

    @Override
    public boolean equals(Object other) {
      throw new IllegalStateException("equals");
    }

    @Override
    public int hashCode() {
      throw new IllegalStateException("hashCode");
    }

    @Override
    public String toString() {
      if (throwsChecked) {
        Unhashable.<RuntimeException>throwUnchecked(new IOException("toString"));
      }
      return "unhashable";
    }

    @SuppressWarnings("unchecked") // this is how a checked exception escapes from such a method
    private static <T extends Throwable> void throwUnchecked(Throwable e) throws T {
      throw (T) e;
    }
  }

  @Test
  void valueOf_elementsWithoutEqualsAndHashCode_areTheirTexts() {
    assertThat(admission.valueOf(List.of(new Unhashable(false), new Unhashable(false))))
        .isEqualTo(Value.setOf(Value.of("unhashable")));
  }

  @Test
  void valueOf_numbersOfMillionsOfDigits_areNotPrinted() {
    BigInteger huge = BigInteger.TWO.pow(50_000_000);
    assertThat(admission.valueOf(huge))
        .isEqualTo(Value.of("<java.math.BigInteger too large to record>"));
    assertThat(admission.valueOf(new BigDecimal(huge)))
        .isEqualTo(Value.of("<java.math.BigDecimal too large to record>"));
    assertThat(counters.truncated.sum()).isEqualTo(2);
  }

  @Test
  void weight_valuesThatDouble_isFoundAtOnce() {
    Value value = Value.of(1);
    for (int i = 0; i < 41; i++) {
      value = new Value.StructValue(Map.of("a", value, "b", value));
    }
    assertThat(Admission.weight(value)).isGreaterThan(Admission.MAX_EVENT_WEIGHT);
  }

  @Test
  void weight_valuesWithNulls_isTooMuch() {
    Map<String, Value> fields = new HashMap<>();
    fields.put("a", null);
    assertThat(Admission.weight(new Value.StructValue(fields)))
        .isGreaterThan(Admission.MAX_EVENT_WEIGHT);
    assertThat(Admission.weight(new Value.StringValue(null)))
        .isGreaterThan(Admission.MAX_EVENT_WEIGHT);
  }

  @Test
  void weight_ordinaryValue_isItsCharactersAndOnePerValue() {
    Value value = new Value.StructValue(Map.of("ab", Value.setOf(Value.of("xyz"), Value.of(1))));
    assertThat(Admission.weight(value)).isEqualTo(1 + 2 + 1 + 1 + 3 + 1);
  }
}
