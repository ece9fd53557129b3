// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.blocks.zone.LongZone;
import io.retroscope.blocks.zone.LongZone.Early;
import io.retroscope.blocks.zone.LongZone.Late;
import io.retroscope.blocks.zone.LongZone.Node;
import io.retroscope.blocks.zone.LongZone.Variable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Deliberately wrong zones of blocks, which a comparison of rows must detect. */
final class WrongZones {
  private static final Early NONE = new Early(Long.MAX_VALUE, Long.MIN_VALUE);

  private WrongZones() {}

  /** The wrong zones by their names: functions of the right one and the block's first stamp. */
  static Map<String, BiFunction<LongZone, Long, LongZone>> all() {
    Map<String, BiFunction<LongZone, Long, LongZone>> wrong = new LinkedHashMap<>();
    wrong.put("no early cuts", early(e -> NONE));
    wrong.put("early maximum", early(e -> new Early(e.min(), e.min())));
    wrong.put("early minimum", early(e -> new Early(e.max(), e.max())));
    wrong.put("late maximum", late(l -> late(l, l.min(), l.lowestMax())));
    wrong.put("late minimum", late(l -> late(l, l.highestMin(), l.max())));
    wrong.put("highest minimum", late(l -> inner(l, l.min(), l.lowestMax())));
    wrong.put("lowest maximum", late(l -> inner(l, l.highestMin(), l.max())));
    wrong.put("smallest spread", late(l -> spread(l, l.maxSpread(), l.maxSpread())));
    wrong.put("largest spread", late(l -> spread(l, l.minSpread(), l.minSpread())));
    wrong.put(
        "last number", nodes(n -> new Node(n.name(), n.number() + 1, n.firstHlc(), change(n))));
    wrong.put(
        "first write", nodes(n -> new Node(n.name(), n.number(), n.firstHlc() - 4096, change(n))));
    wrong.put(
        "never changed", nodes(n -> new Node(n.name(), n.number(), n.firstHlc(), LongZone.NEVER)));
    wrong.put(
        "always changed", nodes(n -> new Node(n.name(), n.number(), n.firstHlc(), n.firstHlc())));
    wrong.put("a node less", variables(v -> with(v, v.nodes().subList(0, v.nodes().size() - 1))));
    wrong.put(
        "number of cuts",
        variables(
            v ->
                new Variable(v.name(), v.cuts() + 1, v.lastHlc(), v.early(), v.late(), v.nodes())));
    wrong.put(
        "a variable less",
        (z, first) -> new LongZone(z.log(), List.of("a"), z.cuts(), z.variables()));
    return wrong;
  }

  private static long change(Node node) {
    return node.changeHlc();
  }

  private static Variable with(Variable v, List<Node> nodes) {
    return new Variable(v.name(), v.cuts(), v.lastHlc(), v.early(), v.late(), nodes);
  }

  private static Late late(Late l, long min, long max) {
    return new Late(min, max, l.highestMin(), l.lowestMax(), l.minSpread(), l.maxSpread());
  }

  private static Late inner(Late l, long highestMin, long lowestMax) {
    return new Late(l.min(), l.max(), highestMin, lowestMax, l.minSpread(), l.maxSpread());
  }

  private static Late spread(Late l, long least, long most) {
    return new Late(l.min(), l.max(), l.highestMin(), l.lowestMax(), least, most);
  }

  private static BiFunction<LongZone, Long, LongZone> early(UnaryOperator<Early> wrong) {
    return variables(
        v ->
            new Variable(
                v.name(),
                v.cuts(),
                v.lastHlc(),
                v.early().exists() ? wrong.apply(v.early()) : v.early(),
                v.late(),
                v.nodes()));
  }

  private static BiFunction<LongZone, Long, LongZone> late(UnaryOperator<Late> wrong) {
    return variables(
        v ->
            new Variable(
                v.name(), v.cuts(), v.lastHlc(), v.early(), wrong.apply(v.late()), v.nodes()));
  }

  private static BiFunction<LongZone, Long, LongZone> nodes(UnaryOperator<Node> wrong) {
    return variables(v -> with(v, v.nodes().stream().map(wrong).toList()));
  }

  private static BiFunction<LongZone, Long, LongZone> variables(UnaryOperator<Variable> wrong) {
    return (zone, first) ->
        new LongZone(
            zone.log(), zone.written(), zone.cuts(), zone.variables().stream().map(wrong).toList());
  }
}
