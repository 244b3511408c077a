// Everything public.
#pragma once

#include "kinema/backend.h"
#include "kinema/body.h"
#include "kinema/body_tracker.h"
#include "kinema/camera.h"
#include "kinema/error.h"
#include "kinema/foreground.h"
#include "kinema/head.h"
#include "kinema/head_calibration.h"
#include "kinema/head_classifier.h"
#include "kinema/head_tracker.h"
#include "kinema/image.h"
#include "kinema/one_euro.h"
#include "kinema/points.h"
#include "kinema/skeleton.h"
#include "kinema/stage_time.h"
