// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.alert.Edge;
import io.retroscope.rql.alert.Page;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** The keys of the records about alerts, whose order is that of the stamps in them. */
final class AlertKeys {
  static final String STATES = "alert/";
  static final String OUTBOX = "out/";

  private AlertKeys() {}

  static String state(String alert) {
    return STATES + text(alert);
  }

  /** The alert of the key of its state. */
  static String alert(String stateKey) {
    return URLDecoder.decode(stateKey.substring(STATES.length()), StandardCharsets.UTF_8);
  }

  static String edges(String alert) {
    return "edge/" + text(alert) + "/";
  }

  static String edges(String alert, long fromHlc) {
    return edges(alert) + stamp(fromHlc);
  }

  static String edge(String alert, Edge edge) {
    // A rise is before the fall of the same stamp.
    int kind = edge.kind() == Edge.Kind.RISE ? 0 : 1;
    return "%s/%d/%016x".formatted(edges(alert, edge.hlc()), kind, edge.digest());
  }

  static String pages(String alert) {
    return "page/" + text(alert) + "/";
  }

  static String pages(String alert, long fromHlc) {
    return pages(alert) + stamp(fromHlc);
  }

  static String page(String alert, Page page) {
    return pages(alert, riseHlc(page)) + "/" + text(page.item());
  }

  /** The packed stamp at which the episode of a page begins. */
  static long riseHlc(Page page) {
    return HlcTimestamp.parse(page.episode().substring(page.episode().lastIndexOf('@') + 1));
  }

  static String messages(String receiver) {
    return OUTBOX + text(receiver) + "/";
  }

  static String message(String receiver, long number) {
    return "%s%016x".formatted(messages(receiver), number);
  }

  private static String stamp(long hlc) {
    return "%016x".formatted(HlcTimestamp.toWire(hlc));
  }

  /** A name without the sign that separates the parts of a key. */
  private static String text(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8);
  }
}
