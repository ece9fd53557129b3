// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacesTest {
  @Test
  void threeNodes_areLeftMiddleRight_lowMiddleHigh_inNaturalOrder() {
    Places places = new Places(List.of("z10", "z2", "z1"));
    assertThat(places.of("z1")).isEqualTo(new Place(-0.8, -12));
    assertThat(places.of("z2")).isEqualTo(new Place(0, 0));
    assertThat(places.of("z10")).isEqualTo(new Place(0.8, 12));
  }

  @Test
  void oneNode_isInTheMiddle_andTwoAreApart() {
    assertThat(new Places(List.of("a")).of("a")).isEqualTo(Place.MIDDLE);
    Places two = new Places(List.of("a", "b"));
    assertThat(two.of("a")).isEqualTo(new Place(-0.8, -12));
    assertThat(two.of("b")).isEqualTo(new Place(0.8, 12));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 9, 15})
  void upToFifteenNodes_haveDifferentPlaces(int count) {
    List<String> nodes = IntStream.range(0, count).mapToObj(i -> "n" + i).toList();
    Places places = new Places(nodes);
    assertThat(new HashSet<>(places.all().values())).hasSize(count);
    assertThat(places.areShared()).isFalse();
  }

  @Test
  void newNodes_moveNobody() {
    Places places = new Places(List.of("z1", "z2", "z3"));
    Map<String, Place> before = places.all();
    List<String> added = IntStream.range(0, 12).mapToObj(i -> "a" + i).toList();
    added.forEach(places::of);
    before.forEach((node, place) -> assertThat(places.of(node)).isEqualTo(place));
    assertThat(new HashSet<>(places.all().values())).hasSize(15);
    assertThat(places.areShared()).isFalse();
  }

  @Test
  void moreNodes_shareEvenly_andItShows() {
    Places places = new Places(IntStream.range(0, 30).mapToObj(i -> "n" + i).toList());
    assertThat(places.areShared()).isTrue();
    Map<Place, Long> counts =
        places.all().values().stream()
            .collect(
                java.util.stream.Collectors.groupingBy(
                    place -> place, java.util.stream.Collectors.counting()));
    assertThat(counts).hasSize(15);
    assertThat(counts.values()).containsOnly(2L);
  }

  @Test
  void noNode_isTheMiddle_andTakesNoPlace() {
    Places places = new Places(List.of());
    assertThat(places.of("")).isEqualTo(Place.MIDDLE);
    assertThat(places.all()).isEmpty();
  }

  @Test
  void naturalOrder_comparesNumbersAsNumbers() {
    assertThat(Stream.of("z10", "z9", "a", "z", "z09b", "z9a").sorted(Places.NATURAL))
        .containsExactly("a", "z", "z9", "z9a", "z09b", "z10");
  }
}
