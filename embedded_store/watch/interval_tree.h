// SPDX-License-Identifier: Apache-2.0
// Values by key range; a lookup finds the ranges that hold a key without visiting the others: a
// treap over the ranges in which each node stores how far its subtree reaches.
//
//   tree[KeyRange{"a", "c"}] = 1;                          // made when it is not there
//   tree.VisitHolding("b", [](int value) { ... });         // in the order of the ranges'
//   beginnings
//
// Finding k of n ranges takes O(k log n) comparisons, adding and removing O(log n); values stay
// where they are. Not thread-safe. Ownership: by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "embedded_store/mvcc/key_range.h"
#include "harness/base/check.h"

namespace watchproof::store {

template <typename Value>
class IntervalTree {
 public:
  // Requires: the range is no single key.
  Value& operator[](const KeyRange& range) {
    WP_CHECK(!range.single(), "single keys are found by hashing");
    return Insert(root_, range);
  }
  // Nothing happens when it is not there.
  void Erase(const KeyRange& range) { Erase(root_, range); }
  bool empty() const { return root_ == nullptr; }

  template <typename Visitor>
  void VisitHolding(const std::string& key, Visitor&& visit) const {
    VisitHolding(root_.get(), key, visit);
  }

 private:
  struct Node;
  using NodePtr = std::unique_ptr<Node>;
  struct Node {
    KeyRange range;
    std::uint64_t priority;  // higher than those of its children
    const KeyRange* furthest = &range;
    NodePtr left{};
    NodePtr right{};
    Value value{};
  };

  static bool EndsBefore(const KeyRange& a, const KeyRange& b) {
    return !a.open_ended() && (b.open_ended() || a.end < b.end);
  }

  static void Update(Node& node) {
    node.furthest = &node.range;
    for (const Node* child : {node.left.get(), node.right.get()}) {
      if (child && EndsBefore(*node.furthest, *child->furthest)) node.furthest = child->furthest;
    }
  }

  // The child takes the place of its parent.
  static void Lift(NodePtr& at, NodePtr Node::*side, NodePtr Node::*other) {
    NodePtr child = std::move((*at).*side);
    (*at).*side = std::move((*child).*other);
    Update(*at);
    (*child).*other = std::move(at);
    at = std::move(child);
    Update(*at);
  }

  // Shapes the tree; the same additions always give the same shape (splitmix64).
  std::uint64_t NextPriority() {
    std::uint64_t z = (seed_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  Value& Insert(NodePtr& at, const KeyRange& range) {
    if (!at) {
      at = std::make_unique<Node>(Node{.range = range, .priority = NextPriority()});
      at->furthest = &at->range;
      return at->value;
    }
    if (range == at->range) return at->value;
    const bool before = range < at->range;
    NodePtr Node::*side = before ? &Node::left : &Node::right;
    NodePtr& child = (*at).*side;
    Value& value = Insert(child, range);
    if (child->priority > at->priority) {
      Lift(at, side, before ? &Node::right : &Node::left);
    } else {
      Update(*at);
    }
    return value;
  }

  static void Erase(NodePtr& at, const KeyRange& range) {
    if (!at) return;
    if (range < at->range) {
      Erase(at->left, range);
    } else if (at->range < range) {
      Erase(at->right, range);
    } else if (!at->left || !at->right) {
      at = std::move(at->left ? at->left : at->right);
      return;
    } else if (at->left->priority > at->right->priority) {
      Lift(at, &Node::left, &Node::right);
      Erase(at->right, range);
    } else {
      Lift(at, &Node::right, &Node::left);
      Erase(at->left, range);
    }
    Update(*at);
  }

  template <typename Visitor>
  static void VisitHolding(const Node* at, const std::string& key, Visitor& visit) {
    if (!at || !(at->furthest->open_ended() || key < at->furthest->end)) return;
    VisitHolding(at->left.get(), key, visit);
    if (key < at->range.begin) return;
    if (at->range.Contains(key)) visit(at->value);
    VisitHolding(at->right.get(), key, visit);
  }

  std::uint64_t seed_ = 0;
  NodePtr root_;
};

}  // namespace watchproof::store
