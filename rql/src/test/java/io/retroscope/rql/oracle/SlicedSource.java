// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Slicing;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/** A source whose walks may be split at given stamps. */
public final class SlicedSource implements EventSource {
  private final EventSource source;
  private final TreeSet<Long> borders;
  private final Runnable beforeAnother;
  private final LongConsumer beforeScan;
  private final List<Slicing.Host> hosts = new CopyOnWriteArrayList<>();
  private final AtomicInteger others = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();

  /** A source over the events of another one, with random borders. */
  public SlicedSource(EventSource source, List<Event> events, Random random) {
    this(source, borders(events, random), () -> {}, range -> {});
  }

  /**
   * A source with borders at packed stamps.
   *
   * @param beforeAnother runs in each thread that opens another view
   * @param beforeScan runs in each thread that scans a range, with its start
   */
  public SlicedSource(
      EventSource source,
      Collection<Long> borders,
      Runnable beforeAnother,
      LongConsumer beforeScan) {
    this.source = source;
    this.borders = new TreeSet<>(borders);
    this.beforeAnother = beforeAnother;
    this.beforeScan = beforeScan;
  }

  /** Adds another process that may walk slices. */
  public void add(Slicing.Host host) {
    hosts.add(host);
  }

  private static Set<Long> borders(List<Event> events, Random random) {
    Set<Long> borders = new TreeSet<>();
    int count = 1 + random.nextInt(random.nextBoolean() ? 3 : 30);
    for (int i = 0; i < count; i++) {
      // Some borders are just above a stamp, where nothing may happen.
      long stamp = events.get(random.nextInt(events.size())).hlc();
      borders.add(stamp + (random.nextInt(3) == 0 ? 1 : 0));
    }
    return borders;
  }

  /** The number of views that other threads opened. */
  public int others() {
    return others.get();
  }

  /** The number of views that are not closed. */
  public int openViews() {
    return open.get();
  }

  @Override
  public View open() {
    return sliced(source.open());
  }

  private View sliced(View view) {
    open.incrementAndGet();
    return (View)
        Proxy.newProxyInstance(
            View.class.getClassLoader(),
            new Class<?>[] {View.class},
            (proxy, method, arguments) -> call(view, method, arguments));
  }

  private Object call(View view, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("slicing")) {
      return Optional.of(new GivenBorders());
    }
    if (method.getName().equals("scan")) {
      beforeScan.accept(((HlcRange) arguments[1]).from());
    }
    if (method.getName().equals("close")) {
      open.decrementAndGet();
    }
    try {
      return method.invoke(view, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Slices at the borders of this source. */
  private final class GivenBorders implements Slicing {
    @Override
    public long[] borders(Set<String> logs, HlcRange range, int most) {
      return borders.stream()
          .mapToLong(border -> border)
          .filter(border -> border > range.from() && border <= range.to())
          .toArray();
    }

    @Override
    public List<Host> hosts() {
      return hosts;
    }

    @Override
    public View another() {
      others.incrementAndGet();
      beforeAnother.run();
      return sliced(source.open());
    }
  }
}
