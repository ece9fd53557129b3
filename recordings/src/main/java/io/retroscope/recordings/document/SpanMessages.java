// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.EventBody;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The messages that follow from spans of different nodes. A CLIENT span and its SERVER child are a
 * request (start to start) and a response (end to end); a PRODUCER span and its CONSUMER child are
 * one message (start to start). Immutable.
 */
final class SpanMessages {
  /*
   * A message becomes evidence about clocks, so a wrong pair would make a wrong answer. Clocks are
   * sought, so only facts that do not depend on them can exclude pairs that are no messages:
   *
   *  - the client or the server failed: the client may have given up before the server;
   *  - the server took longer than the client by their own clocks: the client did not wait;
   *  - several servers for one client: a retry, or a hedged request;
   *  - no end, a duration below zero, an identity that several spans have, a parent that is missing.
   */

  /** No messages. */
  static final SpanMessages NONE = new SpanMessages(List.of());

  private final IdentityHashMap<Span, Span> serverOf = new IdentityHashMap<>();
  private final IdentityHashMap<Span, Span> clientOf = new IdentityHashMap<>();
  private final IdentityHashMap<Span, List<Span>> consumersOf = new IdentityHashMap<>();
  private final IdentityHashMap<Span, Span> producerOf = new IdentityHashMap<>();

  /** The spans that send, by trace and identity. */
  private record Key(String trace, String span) {}

  SpanMessages(List<Span> spans) {
    Map<Key, List<Span>> senders = new HashMap<>();
    for (Span span : spans) {
      if (span.kind() == SpanKind.CLIENT || span.kind() == SpanKind.PRODUCER) {
        senders
            .computeIfAbsent(
                new Key(span.ids().trace(), span.ids().span()), key -> new ArrayList<>(1))
            .add(span);
      }
    }
    IdentityHashMap<Span, List<Span>> servers = new IdentityHashMap<>();
    for (Span span : spans) {
      Optional<Span> sender = sender(span, senders);
      if (sender.isPresent() && span.kind() == SpanKind.SERVER) {
        servers.computeIfAbsent(sender.get(), any -> new ArrayList<>(1)).add(span);
      } else if (sender.isPresent()) {
        consumersOf.computeIfAbsent(sender.get(), any -> new ArrayList<>(1)).add(span);
        producerOf.put(span, sender.get());
      }
    }
    servers.forEach(
        (client, all) -> {
          if (all.size() == 1 && hasWaited(client, all.get(0))) {
            serverOf.put(client, all.get(0));
            clientOf.put(all.get(0), client);
          }
        });
  }

  /** The span that sent the message for which a span is the work. */
  private static Optional<Span> sender(Span span, Map<Key, List<Span>> senders) {
    SpanKind wanted =
        switch (span.kind()) {
          case SERVER -> SpanKind.CLIENT;
          case CONSUMER -> SpanKind.PRODUCER;
          case UNSPECIFIED, INTERNAL, CLIENT, PRODUCER -> SpanKind.UNSPECIFIED;
        };
    Span.Ids ids = span.ids();
    boolean isShared = ids.relation() == Span.Relation.SHARED;
    List<Span> found =
        wanted == SpanKind.UNSPECIFIED
            ? List.of()
            : senders.getOrDefault(
                new Key(ids.trace(), isShared ? ids.span() : ids.parent()), List.of());
    return found.size() == 1
            && found.get(0).kind() == wanted
            && !found.get(0).node().equals(span.node())
            && (wanted == SpanKind.PRODUCER || ids.relation() != Span.Relation.FOLLOWER)
        ? Optional.of(found.get(0))
        : Optional.empty();
  }

  private static boolean hasWaited(Span client, Span server) {
    return client.times().isEnded()
        && server.times().isEnded()
        && !client.isError()
        && !server.isError()
        && duration(server) >= 0
        && duration(client) >= duration(server);
  }

  private static long duration(Span span) {
    return span.times().endNanos() - span.times().startNanos();
  }

  private static String id(Span sender, Span receiver) {
    return sender.ids().trace() + "/" + sender.ids().span() + ">" + receiver.ids().span();
  }

  private static String responseId(Span client, Span server) {
    return client.ids().trace() + "/" + client.ids().span() + "<" + server.ids().span();
  }

  /** What a span's start receives. */
  Optional<EventBody> requestFrom(Span span) {
    Span sender = clientOf.containsKey(span) ? clientOf.get(span) : producerOf.get(span);
    return sender == null
        ? Optional.empty()
        : Optional.of(new EventBody.Receive(sender.node(), id(sender, span)));
  }

  /** What a span's start sends. */
  List<EventBody> requestsOf(Span span) {
    List<EventBody> sends = new ArrayList<>(1);
    Span server = serverOf.get(span);
    if (server != null) {
      sends.add(new EventBody.Send(server.node(), id(span, server)));
    }
    for (Span consumer : consumersOf.getOrDefault(span, List.of())) {
      sends.add(new EventBody.Send(consumer.node(), id(span, consumer)));
    }
    return sends;
  }

  /** What a span's end sends. */
  Optional<EventBody> responseOf(Span span) {
    Span client = clientOf.get(span);
    return client == null
        ? Optional.empty()
        : Optional.of(new EventBody.Send(client.node(), responseId(client, span)));
  }

  /** What a span's end receives. */
  Optional<EventBody> responseTo(Span span) {
    Span server = serverOf.get(span);
    return server == null
        ? Optional.empty()
        : Optional.of(new EventBody.Receive(server.node(), responseId(span, server)));
  }
}
