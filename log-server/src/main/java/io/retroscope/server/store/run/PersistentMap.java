// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map: a change creates another map, which shares everything with the old one
 * except the path to the changed entry. All operations are logarithmic. Thread-safe.
 */
/*
 * An AVL tree with path copying. A reader therefore keeps the map of one moment at no cost, however
 * large the map is and however often the writer changes it.
 */
public final class PersistentMap<K, V> implements Iterable<Map.Entry<K, V>> {
  private final Comparator<? super K> order;
  private final @Nullable Node<K, V> root;
  private final int size;

  private record Node<K, V>(
      Map.Entry<K, V> entry, @Nullable Node<K, V> left, @Nullable Node<K, V> right, int height) {
    static <K, V> Node<K, V> of(
        Map.Entry<K, V> entry, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
      return new Node<>(entry, left, right, 1 + Math.max(heightOf(left), heightOf(right)));
    }

    static int heightOf(@Nullable Node<?, ?> node) {
      return node == null ? 0 : node.height;
    }
  }

  private PersistentMap(Comparator<? super K> order, @Nullable Node<K, V> root, int size) {
    this.order = order;
    this.root = root;
    this.size = size;
  }

  /** A map without entries. */
  static <K, V> PersistentMap<K, V> empty(Comparator<? super K> order) {
    return new PersistentMap<>(order, null, 0);
  }

  public int size() {
    return size;
  }

  /** The longest path from the root. */
  int height() {
    return Node.heightOf(root);
  }

  public @Nullable V get(K key) {
    Map.Entry<K, V> entry = floor(key);
    return entry != null && order.compare(entry.getKey(), key) == 0 ? entry.getValue() : null;
  }

  /** The last entry that is not above the key; null if there is none. */
  Map.@Nullable Entry<K, V> floor(K key) {
    Map.Entry<K, V> found = null;
    for (Node<K, V> node = root; node != null; ) {
      if (order.compare(node.entry.getKey(), key) <= 0) {
        found = node.entry;
        node = node.right;
      } else {
        node = node.left;
      }
    }
    return found;
  }

  /** The first entry above the key; null if there is none. */
  Map.@Nullable Entry<K, V> higher(K key) {
    Map.Entry<K, V> found = null;
    for (Node<K, V> node = root; node != null; ) {
      if (order.compare(node.entry.getKey(), key) > 0) {
        found = node.entry;
        node = node.left;
      } else {
        node = node.right;
      }
    }
    return found;
  }

  /** The entry with the lowest key; the map must not be empty. */
  Map.Entry<K, V> first() {
    Node<K, V> node = someRoot();
    for (Node<K, V> left = node.left; left != null; left = left.left) {
      node = left;
    }
    return node.entry;
  }

  /** The entry with the highest key; the map must not be empty. */
  Map.Entry<K, V> last() {
    Node<K, V> node = someRoot();
    for (Node<K, V> right = node.right; right != null; right = right.right) {
      node = right;
    }
    return node.entry;
  }

  private Node<K, V> someRoot() {
    return Optional.ofNullable(root).orElseThrow(NoSuchElementException::new);
  }

  /** The map with a value for a key, which replaces an earlier value. */
  PersistentMap<K, V> with(K key, V value) {
    int added = get(key) == null ? 1 : 0;
    return new PersistentMap<>(order, with(root, Map.entry(key, value)), size + added);
  }

  private Node<K, V> with(@Nullable Node<K, V> node, Map.Entry<K, V> entry) {
    if (node == null) {
      return Node.of(entry, null, null);
    }
    int side = order.compare(entry.getKey(), node.entry.getKey());
    if (side == 0) {
      return Node.of(entry, node.left, node.right);
    }
    return side < 0
        ? balanced(node.entry, with(node.left, entry), node.right)
        : balanced(node.entry, node.left, with(node.right, entry));
  }

  /** The map without a key; this map if it does not contain the key. */
  PersistentMap<K, V> without(K key) {
    return get(key) == null ? this : new PersistentMap<>(order, without(root, key), size - 1);
  }

  private @Nullable Node<K, V> without(@Nullable Node<K, V> node, K key) {
    if (node == null) {
      return null;
    }
    int side = order.compare(key, node.entry.getKey());
    if (side < 0) {
      return balanced(node.entry, without(node.left, key), node.right);
    } else if (side > 0) {
      return balanced(node.entry, node.left, without(node.right, key));
    } else if (node.left == null || node.right == null) {
      return node.left == null ? node.right : node.left;
    }
    Node<K, V> next = node.right;
    for (Node<K, V> left = next.left; left != null; left = left.left) {
      next = left;
    }
    return balanced(next.entry, node.left, without(node.right, next.entry.getKey()));
  }

  /** A balanced tree from two subtrees whose heights differ by at most two. */
  private static <K, V> Node<K, V> balanced(
      Map.Entry<K, V> entry, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
    if (left != null && left.height > Node.heightOf(right) + 1) {
      Node<K, V> inner = left.right;
      if (inner != null && inner.height > Node.heightOf(left.left)) {
        return Node.of(
            inner.entry,
            Node.of(left.entry, left.left, inner.left),
            Node.of(entry, inner.right, right));
      }
      return Node.of(left.entry, left.left, Node.of(entry, inner, right));
    }
    if (right != null && right.height > Node.heightOf(left) + 1) {
      Node<K, V> inner = right.left;
      if (inner != null && inner.height > Node.heightOf(right.right)) {
        return Node.of(
            inner.entry,
            Node.of(entry, left, inner.left),
            Node.of(right.entry, inner.right, right.right));
      }
      return Node.of(right.entry, Node.of(entry, left, inner), right.right);
    }
    return Node.of(entry, left, right);
  }

  /** The values in the order of their keys. */
  public List<V> values() {
    List<V> values = new ArrayList<>(size);
    forEach(entry -> values.add(entry.getValue()));
    return values;
  }

  /** All entries, ascending. */
  @Override
  public Iterator<Map.Entry<K, V>> iterator() {
    return new Ascent<>(path(null));
  }

  /** The entries from a key (inclusive) on, ascending. */
  Iterator<Map.Entry<K, V>> from(K key) {
    return new Ascent<>(path(key));
  }

  private Deque<Node<K, V>> path(@Nullable K from) {
    Deque<Node<K, V>> path = new ArrayDeque<>();
    for (Node<K, V> node = root; node != null; ) {
      if (from == null || order.compare(node.entry.getKey(), from) >= 0) {
        path.push(node);
        node = node.left;
      } else {
        node = node.right;
      }
    }
    return path;
  }

  /**
   * The remaining entries: each node on the path represents its own entry and its right subtree.
   */
  private record Ascent<K, V>(Deque<Node<K, V>> path) implements Iterator<Map.Entry<K, V>> {
    @Override
    public boolean hasNext() {
      return !path.isEmpty();
    }

    @Override
    public Map.Entry<K, V> next() {
      Node<K, V> next = path.pop();
      for (Node<K, V> node = next.right; node != null; node = node.left) {
        path.push(node);
      }
      return next.entry;
    }
  }
}
