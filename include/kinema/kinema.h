// Everything public.
#pragma once

#include "kinema/backend.h"
#include "kinema/body.h"
#include "kinema/body_tracker.h"
#include "kinema/camera.h"
#include "kinema/error.h"
#include "kinema/face.h"
#include "kinema/face_model.h"
#include "kinema/face_tracker.h"
#include "kinema/foreground.h"
#include "kinema/head.h"
#include "kinema/head_classifier.h"
#include "kinema/image.h"
#include "kinema/points.h"
#include "kinema/skeleton.h"
#include "kinema/stage_time.h"
