package io.retroscope.rql.oracle;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/** A source whose walks may be split at random stamps. */
public final class SlicedSource implements EventSource {
  private final EventSource source;
  private final TreeSet<Long> borders = new TreeSet<>();
  private final AtomicInteger others = new AtomicInteger();

  /** A source over the events of another one. */
  public SlicedSource(EventSource source, List<Event> events, Random random) {
    this.source = source;
    int count = 1 + random.nextInt(random.nextBoolean() ? 3 : 30);
    for (int i = 0; i < count; i++) {
      // Some borders are just above a stamp, where nothing may happen.
      long stamp = events.get(random.nextInt(events.size())).hlc();
      borders.add(stamp + (random.nextInt(3) == 0 ? 1 : 0));
    }
  }

  /** The number of views that other threads opened. */
  int others() {
    return others.get();
  }

  @Override
  public View open() {
    return sliced(source.open());
  }

  private View sliced(View view) {
    return (View)
        Proxy.newProxyInstance(
            View.class.getClassLoader(),
            new Class<?>[] {View.class},
            (proxy, method, arguments) -> call(view, method, arguments));
  }

  private Object call(View view, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("another")) {
      others.incrementAndGet();
      return sliced(source.open());
    }
    if (method.getName().equals("sliceBorders")) {
      HlcRange range = (HlcRange) arguments[1];
      return borders.stream()
          .mapToLong(border -> border)
          .filter(border -> border > range.from() && border <= range.to())
          .toArray();
    }
    try {
      return method.invoke(view, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
